// The AI SDK chatbot template: its tables, and its way with them: what a stream has come to, finished
// or stopped, is saved as rows of "Message_v2"; these are converted and streamed. Majors 5 to 7.
import { createHash } from "node:crypto";
import pg from "pg";
import { requirePairs, serve, tell } from "./talk.mjs";

const TABLES = `
  CREATE TABLE IF NOT EXISTS "Chat" (
    "id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL, "createdAt" timestamp NOT NULL,
    "title" text NOT NULL, "userId" uuid NOT NULL, "visibility" varchar DEFAULT 'private' NOT NULL
  );
  CREATE TABLE IF NOT EXISTS "Message_v2" (
    "id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
    "chatId" uuid NOT NULL REFERENCES "Chat" ("id"), "role" varchar NOT NULL,
    "parts" json NOT NULL, "attachments" json NOT NULL, "createdAt" timestamp NOT NULL
  )`;
const MAJORS = { 5: "v2", 6: "v3", 7: "v4" }; // and the specification of their models
// Weather is told, a tool that hangs is not; and what the user says behind it.
const CHATS = {
  middle: { asks: { c1: "weather", c2: "hang" }, more: "Hello?" },
  end: { asks: { c3: "hang" } },
  sound: { asks: { c4: "weather" } },
};
let pool;

const uuid = (name) =>
  createHash("sha256").update(name).digest("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, "$1-$2-$3-$4-$5");

async function save(chatId, messages) {
  for (const { id, role, parts } of messages)
    await pool.query('INSERT INTO "Message_v2" VALUES ($1, $2, $3, $4, $5, clock_timestamp())', [
      id, chatId, role, JSON.stringify(parts), "[]",
    ]);
}

async function load(chatId) {
  const sql = 'SELECT id, role, parts FROM "Message_v2" WHERE "chatId" = $1 ORDER BY "createdAt"';
  return (await pool.query(sql, [chatId])).rows;
}

const user = (name, text) => ({ id: uuid(name), role: "user", parts: [{ type: "text", text }] });

function model(major, turns) {
  const count = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0, text: 1, reasoning: 0 };
  const [finishReason, usage] =
    major === "5"
      ? ["stop", { inputTokens: 1, outputTokens: 1, totalTokens: 2 }]
      : [{ unified: "stop", raw: "stop" }, { inputTokens: count, outputTokens: count }];
  const said = [
    { type: "text-start", id: "t" }, { type: "text-delta", id: "t", delta: "Sunny." },
    { type: "text-end", id: "t" },
  ];
  return {
    specificationVersion: MAJORS[major], provider: "fake", modelId: "fake", supportedUrls: {},
    async doStream({ prompt }) {
      const ids = (content, type) =>
        [content].flat().filter((part) => part.type === type).map((part) => part.toolCallId);
      requirePairs(
        prompt.map(({ content }) => ({
          answers: ids(content, "tool-result"), calls: ids(content, "tool-call"),
        })),
      );
      const asks = Object.entries(turns.shift() ?? {});
      const calls = asks.map(([toolCallId, toolName]) => ({
        type: "tool-call", toolCallId, toolName, input: '{"city":"Bern"}',
      }));
      const parts = [{ type: "stream-start", warnings: [] }, ...(calls.length ? calls : said)];
      return { stream: ReadableStream.from([...parts, { type: "finish", finishReason, usage }]) };
    },
  };
}

async function answer(major, chatId, turns = []) {
  const ai = await import(`ai${major}`);
  const stopper = new AbortController();
  const tool = (execute) => ai.tool({ inputSchema: ai.jsonSchema({ type: "object" }), execute });
  const hang = (_, { abortSignal }) =>
    new Promise((_, reject) => {
      abortSignal.addEventListener("abort", () => reject(abortSignal.reason));
      setTimeout(() => stopper.abort(), 50);
    });
  const originalMessages = await load(chatId);
  const result = ai.streamText({
    model: model(major, turns),
    messages: await ai.convertToModelMessages(originalMessages),
    tools: { weather: tool(async () => "21 degrees"), hang: tool(hang) },
    stopWhen: ai.stepCountIs(3),
    maxRetries: 0,
    abortSignal: stopper.signal,
    onError() {},
  });
  let failed;
  let text = "";
  let number = originalMessages.length;
  const stream = result.toUIMessageStream({
    generateMessageId: () => uuid(`${chatId} ${number++}`),
    onError: (error) => (failed = error).message,
    onFinish: ({ messages }) => save(chatId, messages.filter(({ parts }) => parts.length)),
  });
  for await (const chunk of stream) if (chunk.type === "text-delta") text += chunk.delta;
  if (failed) throw failed;
  return text;
}

async function chats(work) {
  for (const major of Object.keys(MAJORS))
    for (const [name, chat] of Object.entries(CHATS))
      await work(major, `${name} ${major}`, uuid(`${name} ${major}`), chat);
}

async function write(major, name, chatId, { asks, more }) {
  await pool.query('INSERT INTO "Chat" VALUES ($1, now(), $2, $1)', [chatId, name]);
  await save(chatId, [user(`${name} asks`, "Weather?")]);
  await answer(major, chatId, [asks]);
  if (more) await save(chatId, [user(`${name} more`, more)]);
}

async function goOn(major, name, chatId) {
  await save(chatId, [user(`${name} goes on`, "Go on.")]);
  await tell(name, () => answer(major, chatId));
}

async function connected(url, work) {
  pool = new pg.Pool({ connectionString: url });
  await pool.query(TABLES);
  await chats(work);
  await pool.end();
}

await serve({ write: (url) => connected(url, write), "go-on": (url) => connected(url, goOn) });
