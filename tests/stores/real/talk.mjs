// What `talk.py` is for the programs in JavaScript: the conversations, the refusal, and `serve`: a
// JSON object a line, {action, url}, answered by what was said, as one JSON text.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

export const TALK = JSON.parse(readFileSync(new URL("talk.json", import.meta.url), "utf8"));

// Conversation, kind and content of every message, the conversations side by side.
export function inTurn() {
  const told = Object.entries(TALK).map(([name, steps]) => steps.map((step) => [name, ...step]));
  const longest = Math.max(...told.map((steps) => steps.length));
  const turns = Array.from({ length: longest }, (_, turn) => told.map((steps) => steps[turn]));
  return turns.flat().filter((step) => step);
}

let heard = [];

// Refuses as providers do: messages as { answers, calls }, ids of a message's results and calls.
export function requirePairs(messages) {
  heard = messages.flatMap(({ calls }) => calls);
  let due = [];
  for (const { answers, calls } of [...messages, { answers: [], calls: [] }]) {
    const lone = answers.filter((id) => !due.includes(id));
    if (lone.length) throw new Error(`tool_call_id ${lone} answers no call right before it`);
    due = due.filter((id) => !answers.includes(id));
    if (due.length && !answers.length)
      throw new Error(`tool_call_ids without response messages: ${due}`);
    due.push(...calls);
  }
}

// Says what came of a conversation: `NAME: words CALLS`, the calls that the model heard of, or
// `NAME: REFUSED why`.
export async function tell(name, answer) {
  try {
    console.log([`${name}:`, await answer(), ...heard].join(" "));
  } catch (error) {
    console.log(`${name}: REFUSED ${String(error?.message ?? error).split("\n")[0]}`);
  }
}

export async function serve(actions) {
  let said = [];
  console.log = (...words) => said.push(words.join(" "));
  for await (const line of createInterface({ input: process.stdin })) {
    const { action, url } = JSON.parse(line);
    said = [];
    const late = setTimeout(() => process.exit(1), 120_000); // a library that waits for ever
    await actions[action](url).catch((error) => said.push(`Traceback: ${error.stack}`));
    clearTimeout(late);
    process.stdout.write(`${JSON.stringify(said.join("\n"))}\n`);
  }
  process.exit(0); // whatever a library still waits for
}
