import { StepweaveError } from "../api/errors.js";
import type { TraceOptions } from "../api/run.js";
import { kindOf, optionsFrom, reading } from "../schema/options.js";
import { originAlone } from "./origin.js";
import { pageOrigin } from "./page.js";

/** The trace that a run belongs to, and who is told of it. */
export interface Trace {
  readonly parent: string;
  readonly origins: ReadonlySet<string>;
}

/** The form of a `traceparent` of version 00, in which neither id is all zeros. */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Whether a text is the `traceparent` of a request. */
export function isTraceparent(text: unknown): text is string {
  return typeof text === "string" && TRACEPARENT.test(text);
}

/** The option `trace`, checked; throws `validation`. What callers send and is no `traceparent` counts as none. */
export function traceOf(given: TraceOptions | undefined): Trace | undefined {
  if (given === undefined || given === null) return undefined;
  return reading("the option `trace`", () => {
    if (typeof given !== "object") throw wrong(`the option \`trace\` is ${kindOf(given)}`, 'write trace: { parent, origins: ["https://api.example.com"] }');
    const { parent, origins = [] } = optionsFrom(given, ["parent", "origins"], "`trace` of a run");
    if (!Array.isArray(origins)) throw wrong("the option `trace.origins` is no list", 'write origins: ["https://api.example.com"]');
    const listed = origins.map((one: unknown, index) => {
      const origin = originAlone(one);
      if (origin === undefined) throw wrong(`trace.origins[${index}] is no origin`, 'write it like "https://api.example.com", without a path');
      return origin;
    });
    return isTraceparent(parent) && listed.length > 0 ? { parent, origins: new Set(listed) } : undefined;
  });
}

/** The headers that tell an origin of the trace. In a page there are none: they would make its requests need a permission. */
export function traceHeaders(trace: Trace | undefined, origin: string | undefined): { readonly traceparent?: string } {
  if (trace === undefined || origin === undefined || !trace.origins.has(origin) || pageOrigin() !== undefined) return {};
  return { traceparent: trace.parent };
}

function wrong(message: string, hint: string): StepweaveError {
  return new StepweaveError("validation", message, { hint });
}
