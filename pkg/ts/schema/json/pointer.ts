/** A JSON Pointer to a member of what another one points to. */
export function join(pointer: string, ...steps: readonly (string | number)[]): string {
  let joined = pointer;
  for (const step of steps) joined += `/${typeof step === "number" ? step : step.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  return joined;
}

/** The keys and indices of a JSON Pointer. */
export function steps(pointer: string): string[] {
  return pointer.split("/").slice(1).map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** A member of a JSON value, and nothing of what JavaScript adds to it. */
export function member(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return Array.isArray(value) && key === "length" ? undefined : (value as Record<string, unknown>)[key];
}

/** What an address within a value leads to, such as `#/$defs/city`; undefined for any other address. */
export function pointed(root: unknown, address: unknown): unknown {
  if (typeof address !== "string" || !/^#(\/|$)/.test(address)) return undefined;
  try {
    return steps(decodeURIComponent(address.slice(1))).reduce(member, root);
  } catch {
    return undefined;
  }
}
