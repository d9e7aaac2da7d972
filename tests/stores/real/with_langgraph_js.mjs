// LangGraph.js: PostgresSaver, and an agent that is cut off in its tools as `with_langgraph.py` does.
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, interrupt } from "@langchain/langgraph";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { ToolNode, createReactAgent } from "@langchain/langgraph/prebuilt";
import { z } from "zod";
import { requirePairs, serve, tell } from "./talk.mjs";

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
    requirePairs(
      messages.map((message) => ({
        answers: message.getType() === "tool" ? [message.tool_call_id] : [],
        calls: (message.tool_calls ?? []).map((call) => call.id),
      })),
    );
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
const threads = () => ({
  "js error": [calls(["e1", "raises"])],
  "js batch": [calls(["e2"], ["e3", "raises"])],
  "js next": [calls(["e4"], ["e5", "raises"])],
  "js paused": [calls(["e6", "asks"])],
  "js sound": [calls(["e7"]), new AIMessage("Sunny.")],
});

async function connected(url, work) {
  const checkpointSaver = PostgresSaver.fromConnString(url);
  await checkpointSaver.setup();
  const agent = (answers) =>
    createReactAgent({
      llm: new Model(answers),
      tools: new ToolNode([weather], { handleToolErrors: false }),
      checkpointSaver,
      version: "v2",
    });
  for (const [name, answers] of Object.entries(threads()))
    await work(name, agent, answers, { configurable: { thread_id: name } });
  await checkpointSaver.end();
}

const said = (words) => ({ messages: [new HumanMessage(words)] });

async function write(name, agent, answers, config) {
  const graph = agent(answers);
  for (const words of name === "js next" ? ["Weather?", "Hello?"] : ["Weather?"])
    await graph.invoke(said(words), config).catch((error) => console.log(name, error.message));
}

async function goOn(name, agent, _, config) {
  const graph = agent([new AIMessage("Sunny.")]);
  const state = await graph.getState(config);
  const asks = state.tasks.some((task) => task.interrupts.length);
  ran.length = 0;
  await tell(name, async () => {
    const { messages } = await graph.invoke(asks ? new Command({ resume: "yes" }) : said("Go on."), config);
    return [...ran, messages.at(-1).content].join("; ");
  });
}

await serve({ write: (url) => connected(url, write), "go-on": (url) => connected(url, goOn) });
