// LangChain.js: PostgresChatMessageHistory, also as n8n's Postgres Chat Memory names its table.
// A URL here is TABLE:URL.
import { PostgresChatMessageHistory } from "@langchain/community/stores/message/postgres";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { RunnableLambda, RunnableWithMessageHistory } from "@langchain/core/runnables";
import pg from "pg";
import { TALK, inTurn, requirePairs, serve, tell } from "./talk.mjs";

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

async function connected(url, work) {
  const [tableName, ...rest] = url.split(":");
  const pool = new pg.Pool({ connectionString: rest.join(":") });
  try {
    await work((sessionId) => new PostgresChatMessageHistory({ pool, sessionId, tableName }));
  } finally {
    await pool.end();
  }
}

function model(messages) {
  requirePairs(
    messages.map((message) => ({
      answers: message.getType() === "tool" ? [message.tool_call_id] : [],
      calls: (message.tool_calls ?? []).map((call) => call.id),
    })),
  );
  return new AIMessage("Sunny.");
}

await serve({
  write: (url) =>
    connected(url, async (history) => {
      for (const [name, kind, content] of inTurn()) await history(name).addMessage(made[kind](content));
    }),
  "go-on": (url) =>
    connected(url, async (history) => {
      const chain = new RunnableWithMessageHistory({
        runnable: RunnableLambda.from(model),
        getMessageHistory: history,
        config: {},
      });
      for (const sessionId of Object.keys(TALK))
        await tell(sessionId, async () => {
          const says = [new HumanMessage("Go on.")];
          return (await chain.invoke(says, { configurable: { sessionId } })).content;
        });
    }),
});
