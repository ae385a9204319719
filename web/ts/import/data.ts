// Reading data of unknown shape.

export type Data = { readonly [name: string]: unknown };

export function isData(value: unknown): value is Data {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function data(value: unknown): Data {
  return isData(value) ? value : {};
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

/** What lies along the names: `at(node, "parameters", "model", "value")`. */
export function at(value: unknown, ...names: readonly string[]): unknown {
  let here = value;
  for (const name of names) here = isData(here) && Object.hasOwn(here, name) ? here[name] : undefined;
  return here;
}

/** Whether the value is deeper than may be walked along. Aliases of YAML make one value stand in many positions: each is counted. */
export function isTooLarge(value: unknown, depth: number, values: number): boolean {
  let seen = 0;
  const open: [unknown, number][] = [[value, 0]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [here, level] = next;
    if ((seen += 1) > values || level > depth) return true;
    if (typeof here === "object" && here !== null) for (const inner of Object.values(here)) open.push([inner, level + 1]);
  }
  return false;
}
