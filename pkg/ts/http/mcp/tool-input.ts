import type { JsonObject } from "../../api/document.js";
import { safeName } from "../../mcp/names.js";
import { bare, localTo, readdressed } from "../../schema/inside.js";
import { callersSchema, type Input } from "../input.js";

/** The input of a workflow as the schema of a tool. Callers may not send other keys; what refers to the whole of it may have them. */
export function toolInput(input: Input): JsonObject {
  const { $schema, $id, $defs, ...closed } = callersSchema(input);
  const whole = safeName("Input", new Set(Object.keys(Object($defs))));
  let isUsed = false;
  const moved = (part: unknown): JsonObject =>
    readdressed(part, (reference) => {
      if (localTo($id, reference) !== "#") return reference;
      isUsed = true;
      return `#/$defs/${whole}`;
    }) as JsonObject;
  const tool = moved({ ...closed, ...($defs !== undefined && { $defs }) });
  const kept = isUsed ? { $defs: { ...(tool.$defs as JsonObject | undefined), [whole]: moved(bare(input.schema as JsonObject)) } } : {};
  return { ...($schema !== undefined && { $schema }), ...($id !== undefined && { $id }), ...tool, ...kept };
}
