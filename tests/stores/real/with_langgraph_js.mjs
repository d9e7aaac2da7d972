// LangGraph.js: PostgresSaver, and an agent that is cut off in its tools as `with_langgraph.py` does.
// `node with_langgraph_js.mjs write|go-on URL`, with @langchain/langgraph, its checkpoint-postgres,
// @langchain/core and zod there.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(join(process.cwd(), "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(name).replace(/\.cjs$/, ".js")).href);
const { BaseChatModel } = await load("@langchain/core/language_models/chat_models");
const { AIMessage, HumanMessage } = await load("@langchain/core/messages");
const { tool } = await load("@langchain/core/tools");
const { Command, interrupt } = await load("@langchain/langgraph");
const { ToolNode, createReactAgent } = await load("@langchain/langgraph/prebuilt");
const { PostgresSaver } = await load("@langchain/langgraph-checkpoint-postgres");
const { z } = await load("zod");

const ran = [];
const weather = tool(
  async ({ city, how }) => {
    ran.push(`weather ${city}`);
    if (how === "raises") {
      await new Promise((done) => setTimeout(done, 200)); // its sibling finishes first
      throw new Error("no route to host");
    }
    return how === "asks" ? String(interrupt("May I?")) : "21 degrees";
  },
  {
    name: "weather",
    description: "Tell the weather.",
    schema: z.object({ city: z.string(), how: z.string().optional() }),
  },
);

class Model extends BaseChatModel {
  constructor(answers) {
    super({});
    this.answers = answers;
  }
  _llmType() {
    return "fake";
  }
  bindTools() {
    return this;
  }
  async _generate(messages) {
    let due = [];
    for (const message of messages) {
      const answers = message.getType() === "tool";
      if (answers && !due.includes(message.tool_call_id)) throw new Error("an orphan");
      if (answers) due = due.filter((id) => id !== message.tool_call_id);
      else if (due.length) throw new Error(`tool_call_ids without response messages: ${due}`);
      else due = (message.tool_calls ?? []).map((call) => call.id);
    }
    const message = this.answers.shift();
    return { generations: [{ text: message.content, message }] };
  }
}

const calls = (...given) =>
  new AIMessage({
    content: "",
    tool_calls: given.map(([id, how]) => ({
      name: "weather",
      args: { city: `City ${id}`, ...(how && { how }) },
      id,
      type: "tool_call",
    })),
  });
const threads = {
  "js error": [calls(["e1", "raises"])],
  "js batch": [calls(["e2"], ["e3", "raises"])],
  "js next": [calls(["e4"], ["e5", "raises"])],
  "js paused": [calls(["e6", "asks"])],
  "js sound": [calls(["e7"]), new AIMessage("Sunny.")],
};

const [action, url] = process.argv.slice(2);
const checkpointSaver = PostgresSaver.fromConnString(url);
await checkpointSaver.setup();
const agent = (answers) =>
  createReactAgent({
    llm: new Model(answers),
    tools: new ToolNode([weather], { handleToolErrors: false }),
    checkpointSaver,
    version: "v2",
  });
const said = (words) => ({ messages: [new HumanMessage(words)] });

for (const [name, answers] of Object.entries(threads)) {
  const config = { configurable: { thread_id: name } };
  ran.length = 0;
  if (action === "write") {
    const graph = agent(answers);
    for (const words of name === "js next" ? ["Weather?", "Hello?"] : ["Weather?"])
      await graph.invoke(said(words), config).catch((error) => console.log(name, error.message));
    continue;
  }
  const graph = agent([new AIMessage(`Answer to ${name}.`)]);
  const state = await graph.getState(config);
  const asks = state.tasks.some((task) => task.interrupts.length);
  const more = asks ? new Command({ resume: "yes" }) : said("Go on.");
  const told = { thread: name, next: state.next };
  try {
    const values = await graph.invoke(more, config);
    told.said = values.messages.map((message) => message.content);
  } catch (error) {
    told.refused = error.message.slice(0, 80);
  }
  console.log(JSON.stringify({ ...told, ran }));
}
await checkpointSaver.end();
