// LobeChat: its own migrations, MessageModel, and what it makes of the messages before it sends them.
// Its sources are in `package`, the packages that they take in `node_modules`.
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import { register } from "tsx/cjs/api";
import { TALK, requirePairs, serve, tell } from "./talk.mjs";

const root = join(import.meta.dirname, "package");
process.env.TSX_TSCONFIG_PATH = join(root, "tsconfig.json");
register();
const require = createRequire(import.meta.url);
const { MessageModel } = require(`${root}/packages/database/src/models/message.ts`);
const engine = `${root}/packages/context-engine/src/processors`;
const { ToolCallProcessor } = require(`${engine}/ToolCall.ts`);
const { ToolMessageReorder } = require(`${engine}/ToolMessageReorder.ts`);

const told = { ...TALK };
// A thread beside the main line, which broke off there; a call whose id comes again.
told.thread = [
  ["user", "Weather?"], ["call", ["c7"]], ["result", "c7"], ["says", "Sunny."],
  ["thread user", "And there?"], ["thread call", ["c8", "c9"]], ["thread result", "c9"],
  ["thread user", "Hello?"], ["user", "Thanks."],
];
told.again = [
  ["user", "Weather?"], ["call", ["w_0"]], ["result", "w_0"], ["user", "And now?"],
  ["call", ["w_0"]], ["result", "w_0"], ["user", "Thanks."],
];
let pool;
let model;
const tool = (id) => ({
  apiName: "weather", arguments: '{"city":"Zürich"}', id, identifier: "sky", type: "default",
});
const sessionId = "s";

async function migrate() {
  const folder = `${root}/packages/database/migrations`;
  for (const name of readdirSync(folder).filter((one) => one.endsWith(".sql")).sort()) {
    for (const sql of readFileSync(join(folder, name), "utf8").split("--> statement-breakpoint")) {
      try {
        await pool.query(sql);
      } catch (error) {
        if (!/vector|does not exist/.test(error.message)) throw error; // pgvector is not there
      }
    }
  }
}

async function write() {
  await migrate();
  await pool.query("INSERT INTO users (id) VALUES ('u')");
  await pool.query("INSERT INTO sessions (id, slug, user_id) VALUES ('s', 's', 'u')");
  for (const [topicId, steps] of Object.entries(told)) {
    await pool.query("INSERT INTO topics (id, session_id, user_id) VALUES ($1, 's', 'u')", [topicId]);
    let asked;
    let number = 0;
    for (const [line, content] of steps) {
      const kind = line.replace("thread ", "");
      let threadId;
      if (kind !== line) {
        threadId = `${topicId}-thread`;
        await pool.query(
          "INSERT INTO threads (id, type, topic_id, source_message_id, user_id)" +
            " VALUES ($1, 'continuation', $2, $3, 'u') ON CONFLICT DO NOTHING",
          [threadId, topicId, `${topicId}-1`],
        );
      }
      const id = `${topicId}-${number++}`;
      const at = { sessionId, threadId, topicId };
      if (kind === "call") {
        asked = { id, tools: content.map(tool) };
        const used = { fromModel: "m", fromProvider: "p", metadata: { totalTokens: 7 } };
        await model.create({ ...at, ...used, content: "", role: "assistant", tools: asked.tools }, id);
      } else if (kind === "result") {
        const plugin = asked?.tools.find((one) => one.id === content) ?? tool(content);
        await model.create(
          { ...at, content: "21", parentId: asked?.id, plugin, role: "tool", tool_call_id: content },
          id,
        );
      } else {
        await model.create({ ...at, content, role: kind === "user" ? "user" : "assistant" }, id);
      }
    }
  }
}

async function goOn() {
  for (const topicId of Object.keys(told)) {
    const all = await model.query({ sessionId, topicId });
    for (const threadId of new Set(all.map((one) => one.threadId)))
      await tell(threadId ?? topicId, () => answer(all, topicId, threadId));
  }
}

async function answer(all, topicId, threadId) {
  const line = all.filter((one) => !one.threadId || one.threadId === threadId);
  let context = { isAborted: false, messages: [...line, { content: "Go on.", role: "user" }], metadata: {} };
  context = await new ToolCallProcessor({ model: "m", provider: "p" }).process(context);
  context = await new ToolMessageReorder().process(context);
  requirePairs(
    context.messages.map((one) => ({
      answers: one.role === "tool" ? [one.tool_call_id] : [],
      calls: (one.tool_calls ?? []).map((call) => call.id),
    })),
  );
  await model.create({ content: "Sunny.", role: "assistant", sessionId, threadId, topicId });
  return "Sunny.";
}

async function connected(url, work) {
  pool = new pg.Pool({ connectionString: url, max: 1 });
  model = new MessageModel(drizzle(pool), "u");
  await work();
  await pool.end();
}

await serve({ write: (url) => connected(url, write), "go-on": (url) => connected(url, goOn) });
