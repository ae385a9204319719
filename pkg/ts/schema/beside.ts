import { StepweaveError } from "../api/errors.js";
import type { Validator } from "./violation.js";

/** Throws where the arguments of a tool do not fit the schema that its code has, whatever a document says of them. */
export function checkBeside(validator: Validator, tool: string, schema: unknown, args: unknown): void {
  const [fault] = validator.check(schema, args);
  if (fault === undefined) return;
  const { at, rule, missing } = fault;
  const what = missing === undefined ? `${at === "" ? "it" : `\`${at}\``} does not meet ${rule}` : `\`${at}/${missing}\` is missing`;
  throw new StepweaveError("tool", `the input of the tool \`${tool}\` does not fit the schema that its code has: ${what}`, {
    hint: "what a document says of a tool's input holds beside that, and not in its place",
  });
}
