/** What a step with tools is made of. */
export type PartName = "prompt" | "select" | "tools" | "answer";

/** The id of a part. Names of steps are identifiers, so that no step has the same. */
export function partId(step: string, part: PartName): string {
  return `${step}.${part}`;
}

/** Which part of which step an id means, if it is of one. */
export function partOf(id: string): { readonly step: string; readonly part: PartName } | undefined {
  const dot = id.indexOf(".");
  return dot < 0 ? undefined : { step: id.slice(0, dot), part: id.slice(dot + 1) as PartName };
}
