import { StepweaveError } from "../../api/errors.js";
import { quoted } from "../../schema/options.js";
import type { StepType } from "../definition/options.js";

/** Where a tool may be used: in steps of a type, or in all. */
export type ToolScope = StepType | "all";

const SCOPES: readonly string[] = ["think", "act", "observe", "synthesize", "all"];

/** The scope that a text means, in upper or lower case. */
export function scopeOf(text: unknown): ToolScope {
  const scope = typeof text === "string" ? text.trim().toLowerCase() : "";
  if (SCOPES.includes(scope)) return scope as ToolScope;
  throw new StepweaveError("validation", `there is no scope ${quoted(text)} for tools`, { hint: `use ${SCOPES.join(", ")}` });
}

/** The scopes that a tool names; all of them when it names none. */
export function scopesOf(scopes: unknown = ["all"]): ReadonlySet<ToolScope> {
  return new Set((Array.isArray(scopes) ? scopes : [scopes]).map(scopeOf));
}
