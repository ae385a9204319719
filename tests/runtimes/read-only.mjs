// Every way to write into the state, which each engine refuses in words of its own: what is said of it is the same.

const WAYS = {
  "sets a key": (state) => (state.count = 2),
  "counts a key up": (state) => state.count++,
  "sets a key deep inside": (state) => (state.rows[0].name = "other"),
  "adds a key": (state) => (state.fresh = 1),
  "deletes a key": (state) => delete state.count,
  "assigns a known key": (state) => Object.assign(state, { count: 2 }),
  "assigns a new key": (state) => Object.assign(state, { fresh: 1 }),
  "defines a known key": (state) => Object.defineProperty(state, "count", { value: 2 }),
  "defines a new key": (state) => Object.defineProperty(state, "fresh", { value: 1 }),
  "replaces the prototype": (state) => Object.setPrototypeOf(state, null),
  "sets an item": ({ list }) => (list[0] = 9),
  "adds an item": ({ list }) => (list[5] = 9),
  "deletes an item": ({ list }) => delete list[0],
  "cuts a list": ({ list }) => (list.length = 0),
  "pushes onto a list": ({ list }) => list.push(4),
  "pushes onto an empty list": ({ empty }) => empty.push(4),
  "pops off a list": ({ list }) => list.pop(),
  "pops off an empty list": ({ empty }) => empty.pop(),
  "shifts a list": ({ list }) => list.shift(),
  "unshifts a list": ({ list }) => list.unshift(4),
  "splices an item out": ({ list }) => list.splice(0, 1),
  "splices an item in": ({ list }) => list.splice(0, 0, 4),
  "sorts a list": ({ list }) => list.sort(),
  "reverses a list": ({ list }) => list.reverse(),
  "fills a list": ({ list }) => list.fill(0),
};

const state = () => ({ count: 1, list: [3, 1, 2], empty: [], rows: [{ name: "one" }] });
const HINT = "the state is read-only: return a patch such as { key: value } instead of writing into it";

/** Tries every way; returns what is wrong. */
export async function readOnly({ Workflow }) {
  const steps = Object.entries(WAYS).map(([name, write]) => ({ name, run: (state) => void write(state), required: false }));
  const { state: left, errors } = await new Workflow({ name: "read-only", steps }).run({ state: state() });
  const faults = JSON.stringify(left) === JSON.stringify(state()) ? [] : [`the state has become ${JSON.stringify(left)}`];
  for (const name of Object.keys(WAYS)) {
    const error = errors.find(({ step }) => step.name === name);
    if (error?.hint !== HINT) faults.push(`the error of ${name}: ${error?.message} [${error?.hint}]`);
  }
  return faults;
}
