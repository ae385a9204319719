import { isObject } from "../../api/json.js";
import type { StandardSchema } from "../../api/schema.js";
import type { Tool } from "../../authoring/tool.js";
import { isStandardSchema, jsonSchemaOf } from "../../schema/standard.js";

/**
 * The form of the answer of a model that selects tools: an object. Any other fault costs single calls; so
 * the whole shape is only shown to the model, and to an endpoint that enforces shapes.
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
    isObject(value) ? { value } : { issues: [{ message: "must be an object with `tool_calls`" }] };
  const standard = { version: 1 as const, vendor: "stepweave", validate, jsonSchema: { input: () => shape, output: () => shape } };
  return { "~standard": standard };
}

/** The arguments of any of the tools. A schema with references to itself cannot stand inside of another one. */
function argumentsOf(tools: readonly Tool[]): unknown {
  const inputs = tools.map(({ input }) => (isStandardSchema(input) ? jsonSchemaOf(input, "input") : input));
  const isPlain = (input: unknown): boolean => typeof input === "object" && input !== null && !/"\$(?:ref|defs)"/.test(JSON.stringify(input));
  if (!inputs.every(isPlain)) return { type: "object" };
  return inputs.length === 1 ? inputs[0] : { anyOf: inputs };
}
