// Mastra: the rows of mastra_messages, by its agent and memory, the agent cut off while a tool ran.
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { LibSQLStore } from "@mastra/libsql";
import { Memory } from "@mastra/memory";
import { PostgresStore } from "@mastra/pg";
import { Mastra } from "@mastra/core";
import { z } from "zod";
import { requirePairs, serve, tell } from "./talk.mjs";

let storage;
const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };

function model(asks) {
  const turns = [...asks];
  const answer = (prompt) => {
    const ids = (content, type) =>
      [content].flat().filter((part) => part.type === type).map((part) => part.toolCallId);
    requirePairs(
      prompt.map(({ content }) => ({
        answers: ids(content, "tool-result"), calls: ids(content, "tool-call"),
      })),
    );
    const calls = turns.shift() ?? [];
    const said = calls.map(([toolCallId, toolName]) => ({
      type: "tool-call", toolCallId, toolName, input: '{"city":"Bern"}',
    }));
    return said.length ? said : [{ type: "text", text: "Sunny." }];
  };
  return {
    specificationVersion: "v2", provider: "fake", modelId: "fake", supportedUrls: {},
    async doGenerate({ prompt }) {
      const content = answer(prompt);
      const finishReason = content[0].type === "text" ? "stop" : "tool-calls";
      return { content, finishReason, usage, warnings: [] };
    },
    async doStream({ prompt }) {
      const content = answer(prompt);
      const text = content[0].type === "text";
      const parts = text
        ? [{ type: "text-start", id: "t" }, { type: "text-delta", id: "t", delta: "Sunny." },
           { type: "text-end", id: "t" }]
        : content;
      const finishReason = text ? "stop" : "tool-calls";
      return {
        stream: new ReadableStream({
          start(controller) {
            controller.enqueue({ type: "stream-start", warnings: [] });
            for (const part of parts) controller.enqueue(part);
            controller.enqueue({ type: "finish", finishReason, usage });
            controller.close();
          },
        }),
      };
    },
  };
}

const input = z.object({ city: z.string() });
let stopper;
const tools = {
  weather: createTool({ id: "weather", description: "w", inputSchema: input,
    execute: async () => "21 degrees" }),
  hang: createTool({ id: "hang", description: "h", inputSchema: input,
    execute: async () => { stopper.abort(); await wait(300); throw new DOMException("stopped", "AbortError"); } }),
  book: createTool({ id: "book", description: "b", inputSchema: input, requireApproval: true,
    execute: async () => "booked" }),
};

function agent(asks = []) {
  const options = { lastMessages: 50, filterIncompleteToolCalls: false };
  const memory = new Memory({ storage, options });
  const made = new Agent({ id: "bot", name: "bot", instructions: "Be brief.", model: model(asks), memory, tools });
  new Mastra({ agents: { bot: made }, storage, logger: false });
  return made;
}

const at = (thread) => ({ memory: { thread, resource: "u" } });

async function drain(stream) {
  for await (const _ of stream.fullStream);
}

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function stopped(thread) {
  stopper = new AbortController();
  const asks = [[["c1", "weather"], ["c2", "hang"]]];
  const more = { abortSignal: stopper.signal, savePerStep: true };
  const stream = await agent(asks).stream("Weather?", { ...at(thread), ...more });
  await Promise.race([drain(stream), wait(1500)]);
}

const call = (toolCallId, more = {}) =>
  ({ state: "call", toolCallId, toolName: "weather", args: { city: "Bern" }, ...more });

function message(threadId, number, role, invocations, more = {}) {
  const parts = invocations.length
    ? invocations.map((toolInvocation) => ({ type: "tool-invocation", toolInvocation }))
    : [{ type: "text", text: "Hello?" }];
  const createdAt = new Date(Date.UTC(2026, 0, 1, 12, 0, number));
  const content = { format: 2, parts, content: invocations.length ? "" : "Hello?", ...more };
  return { id: `${threadId}-${number}`, threadId, resourceId: "u", role, type: "v2", createdAt, content };
}

async function saved(threadId, messages) {
  const memory = await storage.getStore("memory");
  const now = new Date(Date.UTC(2026, 0, 1, 12));
  await memory.saveThread({ thread: { id: threadId, resourceId: "u", title: "", createdAt: now, updatedAt: now } });
  await memory.saveMessages({ messages });
}

async function write() {
  await storage.init();
  await stopped("end");
  await stopped("middle");
  const hello = message("middle", 0, "user", []);
  await (await storage.getStore("memory")).saveMessages({ messages: [{ ...hello, createdAt: new Date() }] });
  await drain(await agent([[["c3", "weather"]]]).stream("Weather?", at("sound")));
  await drain(await agent([[["c4", "book"]]]).stream("Book!", at("paused")));
  const both = [call("c5"), call("c6", { state: "result", result: "20 degrees" })];
  await saved("copies", [
    message("copies", 1, "assistant", both, { toolInvocations: both }),
    message("copies", 2, "user", []),
  ]);
  const cut = { state: "partial-call", args: {} };
  await saved("cut", [message("cut", 1, "assistant", [call("c7", cut)]), message("cut", 2, "user", [])]);
  const answer = call("c8", { state: "result", args: {}, result: "22 degrees" });
  await saved("later", [
    message("later", 1, "assistant", [call("c8")]), message("later", 2, "assistant", [answer]),
    message("later", 3, "user", []),
  ]);
  const failed = call("c9", { state: "output-error", errorText: "no network" });
  await saved("failed", [message("failed", 1, "assistant", [failed]), message("failed", 2, "user", [])]);
  const asked = call("c10", { state: "approval-requested", approval: { id: "a1" } });
  await saved("asked", [message("asked", 1, "assistant", [asked])]);
  await wait(500);
}

async function goOn() {
  for (const thread of ["end", "middle", "sound", "copies", "cut", "failed", "asked", "later"])
    await tell(thread, async () => {
      const answer = await agent().generate("Go on.", at(thread));
      return answer.text || `REFUSED ${answer.error ?? answer.finishReason}`;
    });
  const { messages } = await (await storage.getStore("memory")).listMessages({ threadId: "paused" });
  const { runId } = messages.at(-1).content.metadata.pendingToolApprovals.c4;
  await tell("paused", async () => {
    const stream = await agent().approveToolCall({ runId, toolCallId: "c4" });
    await drain(stream);
    return await stream.text;
  });
}

async function connected(url, work) {
  storage = url.startsWith("file:")
    ? new LibSQLStore({ id: "store", url })
    : new PostgresStore({ id: "store", connectionString: url });
  await work();
  await storage.close?.();
}

await serve({ write: (url) => connected(url, write), "go-on": (url) => connected(url, goOn) });
