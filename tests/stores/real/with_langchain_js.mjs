// LangChain.js: PostgresChatMessageHistory, also as n8n's Postgres Chat Memory names its table.
// `node with_langchain_js.mjs write|go-on URL TABLE`, with @langchain/community, core and pg there.
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(join(process.cwd(), "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { PostgresChatMessageHistory } = await load("@langchain/community/stores/message/postgres");
const { AIMessage, HumanMessage, ToolMessage } = await load("@langchain/core/messages");
const pg = (await load("pg")).default;

const [action, url, tableName] = process.argv.slice(2);
const told = JSON.parse(
  execFileSync("python3", ["-c", "import json, talk; print(json.dumps(talk.in_turn()))"], {
    cwd: import.meta.dirname,
  }),
);
const pool = new pg.Pool({ connectionString: url });
const history = (sessionId) => new PostgresChatMessageHistory({ pool, sessionId, tableName });
const made = {
  user: (content) => new HumanMessage(content),
  says: (content) => new AIMessage(content),
  result: (id) => new ToolMessage({ content: "21 degrees", tool_call_id: id, name: "weather" }),
  call: (ids) =>
    new AIMessage({
      content: "",
      tool_calls: ids.map((id) => ({ name: "weather", args: { city: "Bern" }, id })),
    }),
};

if (action === "write") {
  for (const [name, kind, content] of told) await history(name).addMessage(made[kind](content));
} else {
  for (const name of new Set(told.map(([named]) => named))) {
    await history(name).addMessage(new HumanMessage("Go on."));
    const messages = await history(name).getMessages();
    let due = [];
    for (const message of messages) {
      const answers = message.getType() === "tool";
      if (answers && !due.includes(message.tool_call_id)) throw new Error(`${name}: orphan`);
      if (answers) due = due.filter((id) => id !== message.tool_call_id);
      else if (due.length) console.log(name, "REFUSED", due);
      if (!answers) due = (message.tool_calls ?? []).map((call) => call.id);
    }
    console.log(name, messages.map((message) => message.getType()).join(" "));
  }
}
await pool.end();
