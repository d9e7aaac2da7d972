// LobeChat: its own migrations, MessageModel, and what it makes of the messages before it sends them.
// `LOBECHAT=FOLDER tsx --tsconfig FOLDER/tsconfig.json with_lobechat.mjs write|go-on URL [--store]`,
// with the unpacked package @lobehub/chat in FOLDER, and tsx, drizzle-orm and pg above it.
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const root = process.env.LOBECHAT;
const require = createRequire(join(root, "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { drizzle } = await load("drizzle-orm/node-postgres");
const pg = (await load("pg")).default;
const { MessageModel } = await import(`${root}/packages/database/src/models/message.ts`);
const engine = `${root}/packages/context-engine/src/processors`;
const { ToolCallProcessor } = await import(`${engine}/ToolCall.ts`);
const { ToolMessageReorder } = await import(`${engine}/ToolMessageReorder.ts`);

const [action, url] = process.argv.slice(2);
const told = JSON.parse(
  execFileSync("python3", ["-c", "import json, talk; print(json.dumps(talk.TALK))"], {
    cwd: import.meta.dirname,
  }),
);
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
const pool = new pg.Pool({ connectionString: url, max: 1 });
const model = new MessageModel(drizzle(pool), "u");
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
    for (const threadId of new Set(all.map((one) => one.threadId))) {
      const line = all.filter((one) => !one.threadId || one.threadId === threadId);
      const messages = [...line, { content: "Go on.", role: "user" }];
      let context = { isAborted: false, messages, metadata: {} };
      context = await new ToolCallProcessor({ model: "m", provider: "p" }).process(context);
      context = await new ToolMessageReorder().process(context);
      let due = [];
      let refused = false;
      for (const { role, tool_call_id: id, tool_calls: calls } of context.messages) {
        if (role === "tool") {
          if (!due.includes(id)) refused = `orphan ${id}`;
          due = due.filter((one) => one !== id);
        } else {
          if (due.length) refused ||= `no result for ${due}`;
          due = (calls ?? []).map((call) => call.id);
        }
      }
      const shown = context.messages.map((one) => one.role).join(" ");
      console.log(topicId, threadId ?? "", refused ? `REFUSED ${refused}` : "reach the model:", shown);
      if (!refused && process.argv.includes("--store"))
        await model.create({ content: "Sunny.", role: "assistant", sessionId, threadId, topicId });
    }
  }
}

await (action === "write" ? write() : goOn());
await pool.end();
