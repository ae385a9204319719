// What two JSON values do not have in common.

/** A line for each path at which they differ: `path: expected …, got …`. */
export function* differences(expected, got, path = "") {
  if (Object.is(expected, got)) return;
  const isBranch = typeof expected === "object" && typeof got === "object" && expected !== null && got !== null;
  if (!isBranch || Array.isArray(expected) !== Array.isArray(got)) {
    yield `${path || "(all)"}\n    expected ${shown(expected)}\n    got      ${shown(got)}`;
    return;
  }
  for (const key of new Set([...Object.keys(expected), ...Object.keys(got)])) {
    const place = Array.isArray(expected) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
    yield* differences(expected[key], got[key], place);
  }
}

function shown(value) {
  return value === undefined ? "nothing" : JSON.stringify(value);
}
