// Asks the published AI SDK whether a history of UI messages validates, converts and streams, or
// one of model messages streams.
//
// stdin:  one JSON object a line, {major, messages, model}; model: true for model messages
// stdout: one JSON object a line, {ok, name, error, step}, in order; step says where it failed:
//         validate, convert, stream (the SDK itself) or provider (the SDK let it through, and the
//         model stands in for a provider that wants every call answered in the next message).
import { createInterface } from "node:readline";
import v4 from "./v4/majors.mjs";
import v5to7 from "./v5-v7/majors.mjs";

const majors = { ...v4, ...v5to7 };

const count = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0, text: 1, reasoning: 0 };
const finishes = {
  4: { finishReason: "stop", usage: { promptTokens: 1, completionTokens: 1 } },
  5: { finishReason: "stop", usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } },
  6: { finishReason: { unified: "stop", raw: "stop" }, usage: { inputTokens: count, outputTokens: count } },
};
finishes[7] = finishes[6];

function reply(major) {
  const finish = { type: "finish", ...finishes[major] };
  if (major === 4) return [{ type: "text-delta", textDelta: "fine" }, finish];
  return [
    { type: "stream-start", warnings: [] },
    { type: "text-start", id: "t" },
    { type: "text-delta", id: "t", delta: "fine" },
    { type: "text-end", id: "t" },
    finish,
  ];
}

class ProviderRefusal extends Error {
  name = "ProviderRefusal";
}

const parts = (message) => (Array.isArray(message?.content) ? message.content : []);

// What every provider asks and the SDK does not: the message after the calls answers each of them once.
function refuseHalfPairs(prompt) {
  prompt.forEach((message, at) => {
    if (message.role === "assistant") refuseUnless(sameIds(calls(message), results(prompt[at + 1])), at);
    if (message.role === "tool") refuseUnless(prompt[at - 1]?.role === "assistant", at);
  });
}

const calls = (message) => parts(message).filter((p) => p.type === "tool-call" && !p.providerExecuted);
const results = (message) =>
  message?.role === "tool" ? parts(message).filter((p) => p.type === "tool-result") : [];
const ids = (list) => list.map((p) => p.toolCallId).sort();
const sameIds = (a, b) => JSON.stringify(ids(a)) === JSON.stringify(ids(b));

function refuseUnless(sound, at) {
  if (!sound) throw new ProviderRefusal(`message ${at} of the prompt: calls and results differ`);
}

async function judge({ major, messages, model: isPrompt }, reached) {
  const { ai, Mock } = majors[major];
  const prompt = isPrompt ? messages : await converted(ai, messages, reached);
  reached("stream");
  const model = new Mock({
    doStream: async ({ prompt }) => {
      reached("provider");
      refuseHalfPairs(prompt);
      reached("stream");
      const stream = new ReadableStream({
        start(out) {
          reply(major).forEach((chunk) => out.enqueue(chunk));
          out.close();
        },
      });
      return { stream, rawCall: { rawPrompt: null, rawSettings: {} } };
    },
  });
  await drain(ai.streamText({ model, messages: prompt, maxRetries: 0, onError: () => {} }));
}

async function converted(ai, messages, reached) {
  if (ai.validateUIMessages) {
    reached("validate");
    messages = await ai.validateUIMessages({ messages });
  }
  reached("convert");
  return (ai.convertToModelMessages ?? ai.convertToCoreMessages)(messages);
}

async function drain(result) {
  let text = "";
  for await (const chunk of result.fullStream) {
    if (chunk.type === "error") throw chunk.error;
    if (chunk.type === "text-delta") text += chunk.text ?? chunk.textDelta;
  }
  if (text !== "fine") throw new Error(`the stream ended with ${JSON.stringify(text)}`);
}

const late = () =>
  new Promise((_, reject) => setTimeout(() => reject(new Error("no end in 30 s")), 30_000).unref());

globalThis.AI_SDK_LOG_WARNINGS = false;
process.on("unhandledRejection", () => {}); // promises of a failed stream nobody asked for
console.warn = console.log = console.error; // stdout is for answers only
for await (const line of createInterface({ input: process.stdin })) {
  const question = JSON.parse(line);
  let step = "read";
  let verdict = { ok: true, name: null, error: null };
  try {
    await Promise.race([judge(question, (now) => (step = now)), late()]);
  } catch (error) {
    verdict = { ok: false, name: error?.name ?? typeof error, error: String(error?.message ?? error).slice(0, 500) };
  }
  process.stdout.write(JSON.stringify({ ...verdict, step: verdict.ok ? null : step }) + "\n");
}
