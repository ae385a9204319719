// Where nodes of n8n have their answer, which here is the output of their step itself.
import { isAsking, kindOf, type Source } from "./source";

const ANSWERS: Readonly<Record<string, readonly string[]>> = {
  agent: ["output"],
  conversationalAgent: ["output"],
  openAiAssistant: ["output"],
  chainLlm: ["text", "response.text", "output"],
  chainSummarization: ["response.text", "output.text", "response"],
  chainRetrievalQa: ["response.text", "response"],
  informationExtractor: ["output"],
  sentimentAnalysis: ["sentimentAnalysis"],
  openAi: ["message.content", "choices.0.message.content", "output.0.content.0.text", "output.0.content", "output", "content", "text"],
  anthropic: ["content.0.text", "text"],
  googleGemini: ["content.parts.0.text", "candidates.0.content.parts.0.text", "text"],
  mistralAi: ["choices.0.message.content", "message.content"],
  perplexity: ["choices.0.message.content", "message.content", "message"],
};

/** The item of n8n around a step's output, in JavaScript over `value`, which is nothing where the step did not run. */
export function itemAround(source: Source, value: string): string {
  const path = ANSWERS[kindOf(source)]?.[0]?.split(".");
  if (path === undefined) return value;
  const item = path.reduceRight((inner, name) => (/^\d+$/.test(name) ? `[${inner}]` : `{ ${name}: ${inner} }`), value);
  return `(${value} === undefined ? undefined : ${item})`;
}

/** What is read of a step's output where n8n reads these names; undefined where our step does not give it. `isStructured`: its answer has fields. */
export function inAnswer(source: Source, names: readonly string[], isStructured: boolean): readonly string[] | undefined {
  // What a person answers is around itself there: `data.approved`, `data.text`.
  if (isAsking(source)) return names[0] === "data" ? names.slice(1) : undefined;
  const paths = ANSWERS[kindOf(source)];
  if (paths === undefined || names.length === 0) return names;
  const found = paths.map((path) => path.split(".")).find((path) => path.every((name, index) => names[index] === name));
  if (found !== undefined && (isStructured || names.length === found.length)) return names.slice(found.length);
  return isStructured ? names : undefined;
}
