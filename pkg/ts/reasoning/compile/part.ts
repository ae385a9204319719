/**
 * The phases of a step that is more than one step of the engine: its function, the selection of its tools, their calls,
 * the answer of its model, a value instead of that, and the choice between them as the result.
 */
export type PartName = "call" | "select" | "tools" | "answer" | "value" | "way";

/** The id of a phase. Names of steps are identifiers, so that no step has the same. */
export function partId(step: string, part: PartName): string {
  return `${step}.${part}`;
}

/** Which phase of which step an id means, if it is of one. */
export function partOf(id: string): { readonly step: string; readonly part: PartName } | undefined {
  const dot = id.indexOf(".");
  return dot < 0 ? undefined : { step: id.slice(0, dot), part: id.slice(dot + 1) as PartName };
}
