// What is run: stages one after the other, the handlers of a stage at the same time.

const A = ["A", ({ n }) => ({ a: n + 1 })];
const B = ["B", ({ a }) => ({ b: a * 2 })];
const C = ["C", ({ a }) => ({ c: a - 3 })];
const D = ["D", ({ a }) => ({ d: a % 2 })];

const FLOWS = [
  {
    name: "A→B→C→D",
    stages: [[A], [B], [["C", ({ b }) => ({ c: b - 3 })]], [["D", ({ c }) => ({ d: `${c}` })]]],
    output: { d: "39" },
  },
  { name: "A→[B,C,D]→E", stages: [[A], [B, C, D], [["E", ({ b, c, d }) => ({ e: b + c + d })]]], output: { e: 61 } },
  { name: "A→[B,C]→D", stages: [[A], [B, C], [["D", ({ b, c }) => ({ d: b + c })]]], output: { d: 60 } },
];

/** The workflows that every contender runs: each flow with functions that return at once, and with async ones. */
export const SHAPES = FLOWS.flatMap((flow) => [
  shape(flow, "sync", (run) => run),
  shape(flow, "async", (run) => async (state) => run(state)),
]);

function shape({ name, stages, output }, handlers, made) {
  const built = stages.map((members) => members.map(([member, run]) => ({ name: member, run: made(run) })));
  return { id: `${name} ${handlers}`, name, handlers, stages: built, input: { n: 20 }, output };
}

const STEPS = 100;
const KILOBYTE = 1024;
const MEGABYTE = 1024 * KILOBYTE;

const STATES = [
  { id: "1 KB", keys: 8, bytes: KILOBYTE },
  { id: "1 MB in 8 keys", keys: 8, bytes: MEGABYTE },
  { id: "1 MB in 16,384 keys", keys: 16_384, bytes: MEGABYTE },
];

/** A hundred steps that each change one key of a state, which the workflow has or each run is given. */
export const WIDE_SHAPES = STATES.flatMap((state) => [wide(state, false), wide(state, true)]);

function wide({ id, keys, bytes }, given) {
  const input = { n: 0 };
  for (let key = 0; key < keys; key += 1) input[`key${key}`] = valueOf(bytes / keys);
  const stages = Array.from({ length: STEPS }, (_, step) => [{ name: `step ${step}`, run: ({ n }) => ({ n: n + 1 }) }]);
  return { id: given ? `${id}, given` : id, name: id, given, stages, input, output: { n: STEPS } };
}

/** A list of records whose JSON text takes about so many bytes. */
function valueOf(bytes) {
  const record = { id: 1234, on: true, tag: "a few letters" };
  const count = Math.max(1, Math.round(bytes / (JSON.stringify(record).length + 1)));
  return Array.from({ length: count }, (_, id) => ({ ...record, id: 1000 + id }));
}

/** What a stage of several handlers is called. */
export function nameOf(handlers) {
  return handlers.map(({ name }) => name).join(" and ");
}
