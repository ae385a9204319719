import type { StandardSchema } from "../../api/schema.js";
import type { Tool } from "../../authoring/tool.js";
import { isStandardSchema, jsonSchemaOf } from "../../schema/standard.js";

/**
 * What the answer of a model that chooses tools has to be: an object. What else is wrong with it costs single calls; so
 * the whole shape is only what the model, and an endpoint that enforces shapes, are told.
 */
export function choiceSchema(tools: readonly Tool[]): StandardSchema {
  const shape = {
    type: "object",
    properties: {
      tool_calls: {
        type: "array",
        items: {
          type: "object",
          properties: {
            tool_name: { type: "string", enum: tools.map(({ name }) => name) },
            arguments: argumentsOf(tools),
            confidence: { type: "number" },
            reasoning: { type: "string" },
          },
          required: ["tool_name", "arguments", "confidence", "reasoning"],
        },
      },
    },
    required: ["tool_calls"],
  };
  const validate = (value: unknown): object =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? { value } : { issues: [{ message: "must be an object with `tool_calls`" }] };
  const standard = { version: 1 as const, vendor: "stepweave", validate, jsonSchema: { input: () => shape, output: () => shape } };
  return { "~standard": standard };
}

/** What any of the tools takes. A schema that refers to its own parts cannot stand inside of another one. */
function argumentsOf(tools: readonly Tool[]): unknown {
  const inputs = tools.map(({ input }) => (isStandardSchema(input) ? jsonSchemaOf(input, "input") : input));
  const isPlain = (input: unknown): boolean => typeof input === "object" && input !== null && !/"\$(?:ref|defs)"/.test(JSON.stringify(input));
  if (!inputs.every(isPlain)) return { type: "object" };
  return inputs.length === 1 ? inputs[0] : { anyOf: inputs };
}
