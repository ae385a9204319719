// Where an answer says more than its provider's client reads, or the client gives up on it. Each rule takes a reading to what is
// expected instead, from the parts that the client did read. An entry of expected/ names the rules that changed it.
import { tokens } from "./clients/chat.mjs";
import { ofResponse } from "./clients/responses.mjs";
import { reading } from "./reading.mjs";

const deltas = (parts) => parts.flatMap(({ choices }) => choices.slice(0, 1).map(({ delta }) => delta ?? {}));

export const RULES = [
  {
    name: "role left out",
    format: "chat",
    why: "the client gives up when no part names the role; Groq leaves it out where it runs tools itself, and the answer is whole",
    expected: (read) => (read.error?.message.startsWith("missing role") ? without(read, "error") : read),
  },
  {
    name: "content in parts",
    format: "chat",
    why: "the client takes content for a text; Mistral sends lists of parts while the model thinks",
    expected: (read, parts) => {
      const contents = deltas(parts).map(({ content }) => content ?? "");
      if (!contents.some(Array.isArray)) return read;
      const flat = contents.flatMap((content) => (Array.isArray(content) ? content : [{ type: "text", text: content }]));
      const textOf = (wanted) => flat.filter(({ type }) => type === wanted).map((part) => part.text ?? part.thinking.map(({ text }) => text).join("")).join("");
      return { ...read, text: textOf("text"), reasoning: textOf("thinking") };
    },
  },
  {
    name: "reasoning",
    format: "chat",
    why: "the format has no reasoning; DeepSeek and z.ai send it as `reasoning_content`, Groq and OpenRouter as `reasoning`",
    expected: (read, parts) => {
      const reasoning = deltas(parts).map((delta) => delta.reasoning_content ?? delta.reasoning ?? "").join("");
      return reasoning === "" ? read : { ...read, reasoning };
    },
  },
  {
    name: "x_groq",
    format: "chat",
    why: "the client does not know the field in which Groq counts tokens",
    expected: (read, parts) => {
      const usage = parts.map((part) => part.x_groq?.usage).findLast((found) => found);
      return usage === undefined || read.usage ? read : reading({ ...read, usage: tokens(usage) });
    },
  },
  {
    name: "usage not last",
    format: "chat",
    why: "the client forgets the usage when one more part comes behind it, as OpenAI's moderation does",
    expected: (read, parts) => {
      const usage = parts.map((part) => part.usage).findLast((found) => found);
      return usage === undefined || read.usage ? read : reading({ ...read, usage: tokens(usage) });
    },
  },
  {
    name: "taken up later",
    format: "responses",
    why: "the client gives up when a stream does not begin with `response.created`; one that is taken up later does not, and its last event has it all",
    expected: (read, parts) => (read.error?.message.includes("expected 'response.created'") ? ofResponse(parts.at(-1).response) : read),
  },
  {
    name: "item of another kind",
    format: "responses",
    why: "the client passes over items that ask for what only its caller can do, such as a search for tools; an answer of nothing else is none",
    expected: (read, parts) => {
      const kinds = (parts.at(-1)?.response?.output ?? []).map(({ type }) => type);
      const unknown = kinds.find((type) => type === "tool_search_call");
      return unknown === undefined || read.text !== "" || read.toolCalls.length > 0 ? read : { ...read, error: { message: `\`${unknown}\` alone` } };
    },
  },
];

/** What is expected of a reader, and the names of the rules that say so. */
export function expectation(format, { reading: read, parts }) {
  let expected = read;
  const rules = [];
  for (const rule of RULES.filter((one) => one.format === format)) {
    const before = expected;
    expected = rule.expected(before, parts);
    if (expected !== before) rules.push(rule.name);
  }
  return { format, ...expected, ...(rules.length > 0 && { rules }) };
}

function without(object, key) {
  const { [key]: _, ...rest } = object;
  return rest;
}
