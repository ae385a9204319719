import { isStepweaveError, textOf } from "../api/errors.js";
import type { Usage } from "../api/usage.js";
import { flagged } from "./flagged.js";

/**
 * A text of somebody else on one line of a terminal. Control characters, which could move the cursor or change what stands
 * there, and those that turn the direction of writing around, are left out.
 */
export function oneLine(text: string, most = 300): string {
  const plain = text.replace(/\s+/g, " ").replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "").trim();
  return plain.length > most ? `${plain.slice(0, most - 1)}…` : plain;
}

/** Milliseconds as a person reads them. */
export function shownTime(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Tokens and cost; nothing where no model was called. */
export function shownUsage(usage: Usage | undefined): string | undefined {
  if (usage === undefined || usage.inputTokens + usage.outputTokens === 0) return undefined;
  const { inputTokens, outputTokens, cost } = usage;
  return `${inputTokens + outputTokens} tokens${cost === undefined || cost === 0 ? "" : ` · ${shownCost(cost)}`}`;
}

/** US dollars. */
export function shownCost(cost: number): string {
  return `$${cost !== 0 && Math.abs(cost) < 0.01 ? cost.toPrecision(2) : cost.toFixed(2)}`;
}

/** Problems of an error that are listed; what has more has a command that lists all of them. */
const MAX_LISTED = 20;

/** An error on the lines that it needs, without a trace: what is wrong, in which step, and what to do. */
export function shownError(error: unknown): string {
  const lines = [`error: ${oneLine(flagged(textOf(error)), 4000)}`];
  if (isStepweaveError(error)) {
    const { step, problems = [], hint } = error;
    if (step !== undefined) lines.push(`  step: ${oneLine(step.name)} (${oneLine(step.path)})`);
    // What helps all of them is said once, below them.
    const shared = problems.every((problem) => (Object(problem) as { hint?: unknown }).hint === hint) ? hint : undefined;
    lines.push(...problems.slice(0, MAX_LISTED).map((problem) => `  ${shownProblem(problem, shared)}`));
    if (problems.length > MAX_LISTED) lines.push(`  and ${problems.length - MAX_LISTED} more`);
    if (hint !== undefined) lines.push(`  hint: ${oneLine(flagged(hint), 1000)}`);
  }
  return `${lines.join("\n")}\n`;
}

/** A problem of an error. What a function threw may lack any part of it. A hint that stands below is left out. */
export function shownProblem(problem: unknown, below?: string): string {
  const { path, message, hint } = Object(problem) as { readonly [part in "path" | "message" | "hint"]?: unknown };
  const [place, about] = [path, hint === below ? undefined : hint].map((part) => (typeof part === "string" ? oneLine(flagged(part)) : ""));
  return `${place === "" ? "" : `${place}: `}${oneLine(textOf(message ?? problem))}${about === "" ? "" : ` (${about})`}`;
}

/** A value as text: a string as it is, anything else as JSON. */
export function shownValue(value: unknown, most = 300): string {
  return oneLine(typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined"), most);
}
