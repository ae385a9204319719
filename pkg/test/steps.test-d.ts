import { Agent, demo, Workflow, type Json, type RunContext, type StepInfo } from "stepweave";

const { steps } = new Workflow({ name: "w", steps: [] });
const all: readonly StepInfo[] = steps;
const schema: Json | undefined = steps[0]?.paramsSchema;
// @ts-expect-error what is known of a step is read-only
steps[0]!.isLlm = true;
// @ts-expect-error and so is the list
steps.push();

declare const context: RunContext;
const session: string = context.sessionId;
export { all, schema, session };

// Functions in the steps of steps know the state, without a word about their types.
interface State {
  n: number;
  list: string[];
}
type Equal<Left, Right> = (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false;
declare function sure<Statement extends true>(): Statement;
new Workflow<State>({
  name: "typed",
  steps: [
    { name: "if", condition: ({ n }) => n > 1, steps: [{ name: "a", run: ({ n }) => { sure<Equal<typeof n, number>>(); return { n: n + 1 }; } }], else: [{ name: "b", run: ({ n }) => ({ n }) }] },
    { name: "again", repeat: { while: ({ n }) => n < 3 }, maxIterations: 3, steps: [{ name: "c", run: ({ n }) => { sure<Equal<typeof n, number>>(); return { n }; } }] },
    { name: "way", cases: [{ when: ({ n }) => n > 1, steps: [{ name: "d", run: ({ n }) => ({ n }) }] }], default: [{ name: "lane", steps: [{ name: "e", run: ({ n }) => { sure<Equal<typeof n, number>>(); return { n }; } }] }] },
    { name: "each", items: "list", steps: [{ name: "f", run: ({ item }) => ({ n: item.length }) }] },
    // Where `items` is a function, and beside `with` and `set`, the type has to say that the steps see another state.
    { type: "foreach", name: "of", items: ({ list }) => list, steps: [{ name: "g", run: ({ item }) => ({ n: item.length }) }] },
    { type: "workflow", name: "own", with: { m: "n" }, steps: [{ name: "h", run: ({ m }) => ({ m }) }] },
  ],
});
new Workflow({
  name: "loose",
  steps: [
    { name: "if", condition: ({ n }) => n > 1, steps: [{ name: "a", run: ({ n }) => ({ n: n + 1 }) }] },
    { name: "each", items: "list", steps: [{ name: "b", run: async ({ item }, { log }) => log(item) }] },
    { name: "both", parallel: [{ name: "lane", steps: [{ name: "c", run: ({ n }) => ({ n }) }] }] },
  ],
});
// Keys that were spread in do not stand in the way.
const asked = { agent: new Agent({ name: "a", model: demo() }), retryCount: 1 };
new Workflow<State>({ name: "spread", steps: [{ name: "ask", ...asked, inputFrom: ({ list }) => list.join() }] });
// @ts-expect-error a patch of the wrong type, deep inside
new Workflow<State>({ name: "t", steps: [{ name: "if", condition: "true", steps: [{ name: "a", run: () => ({ n: "one" }) }] }] });

// Keys of one's own stand on every kind of step, and on the workflow.
new Workflow({
  name: "own keys",
  "x-team": "bees",
  steps: [
    { name: "ask", ...asked, inputFrom: "Hi", "x-owner": "Ada" },
    { name: "set", run: { set: { n: "1" } }, "x-colour": { hue: 3 } },
    { name: "if", condition: "true", steps: [{ name: "inner", run: () => ({}), "x-note": null }], "x-note": 1 },
    { name: "both", parallel: [], "x-note": [1] },
    { name: "ask-first", type: "approval", message: "Well?", "x-note": true },
  ],
});
// @ts-expect-error a key that is neither known nor one's own
new Workflow({ name: "t", steps: [{ name: "a", run: () => ({}), colour: 1 }] });
// @ts-expect-error what JSON cannot hold
new Workflow({ name: "t", steps: [{ name: "a", run: { set: {} }, "x-when": new Date() }] });
