import { Agent, agentStep, demo, Workflow, type Json, type RunContext, type Step, type StepInfo } from "stepweave";

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
    { name: "each", items: "list", steps: [{ name: "f", run: ({ item, n }) => { sure<Equal<typeof n, number>>(); return { n: item.length }; } }] },
    { name: "named", items: ({ list }) => list, as: "word", steps: [{ name: "g", run: ({ word, n }) => { sure<Equal<typeof n, number>>(); return { n: word.length }; } }] },
    // Where `items` is a function and the item has no name of its own, the type has to say that the steps see one.
    { type: "foreach", name: "of", items: ({ list }) => list, steps: [{ name: "h", run: ({ item }) => ({ n: item.length }) }] },
    { name: "same", with: { n: "n" }, steps: [{ name: "i", run: ({ n }) => { sure<Equal<typeof n, number>>(); return { n }; } }] },
    { type: "workflow", name: "own", with: { m: "n" }, steps: [{ name: "j", run: ({ m }) => ({ m }) }] },
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
// Where the state may have any key, no step inside of another needs a type.
new Workflow({
  name: "inferred",
  initialState: { list: ["a"], n: 1 },
  steps: [
    { name: "each", items: ({ list }) => list, steps: [{ name: "a", run: ({ item, n }) => { sure<Equal<typeof n, number>>(); return { m: item }; } }] },
    { name: "named", items: (state) => state.list, as: "word", steps: [{ name: "b", condition: ({ word }) => word !== "", steps: [{ name: "c", run: (state) => ({ m: state.word }) }] }] },
    { name: "with", with: { first: "list[0]" }, steps: [{ name: "d", run: (state) => ({ m: state.first }) }] },
    { name: "set", set: { m: "first" }, steps: [{ name: "e", run: (state) => ({ first: state.first }) }] },
    { name: "begun", initialState: { first: "a" }, steps: [{ name: "f", run: async ({ first }) => ({ m: first }) }] },
    { name: "own", type: "workflow", with: { n: "list" }, steps: [{ name: "g", run: ({ n }) => ({ m: n.at.all }) }] },
  ],
});
// @ts-expect-error a step does something
new Workflow({ name: "t", initialState: { n: 1 }, steps: [{ name: "nothing" }] });
// @ts-expect-error a wait has no steps
new Workflow({ name: "t", initialState: { n: 1 }, steps: [{ name: "a", type: "wait", wait: { ms: 1 }, steps: [] }] });
// @ts-expect-error no such key, in the steps of a step
new Workflow<State>({ name: "t", steps: [{ name: "lane", steps: [{ name: "a", run: (state) => ({ n: state.nope }) }] }] });
// Steps of any state and steps of one state are given to workflows of either.
declare const loose: Step[];
declare const strict: Step<State>[];
new Workflow<State>({ name: "t", steps: [...loose, { name: "lane", steps: loose }] });
new Workflow({ name: "t", initialState: { n: 1, list: ["a"] }, steps: [...strict, { name: "lane", steps: strict }] });
// Keys that were spread in do not stand in the way.
const spread = { agent: new Agent({ name: "a", model: demo() }), retryCount: 1 };
new Workflow<State>({ name: "spread", steps: [{ name: "ask", ...spread, inputFrom: ({ list }) => list.join() }] });
// @ts-expect-error a patch of the wrong type, deep inside
new Workflow<State>({ name: "t", steps: [{ name: "if", condition: "true", steps: [{ name: "a", run: () => ({ n: "one" }) }] }] });

// What a step calls an agent is a key of `agents`, where these are given with the steps; deep inside too.
const writer = new Agent({ name: "writer", model: demo() });
new Workflow({
  name: "named",
  agents: { writer, editor: writer },
  initialState: { n: 1 },
  steps: [
    { name: "ask", agent: "writer", inputFrom: ({ n }) => n.toFixed() },
    { name: "both", parallel: [{ name: "one", agent: "editor", history: { key: "talk", summary: "writer" } }, { name: "lane", steps: [{ name: "two", agent: writer, inputFrom: ({ n }) => n.toFixed() }] }] },
  ],
});
// @ts-expect-error there is no such agent
new Workflow({ name: "t", agents: { writer }, steps: [{ name: "ask", agent: "wirter" }] });
// @ts-expect-error nor one that sums up
new Workflow({ name: "t", agents: { writer }, steps: [{ name: "ask", agent: "writer", history: { key: "talk", summary: "nobody" } }] });
// @ts-expect-error nor beside a function
new Workflow({ name: "t", agents: { writer }, initialState: { n: 1 }, steps: [{ name: "f", run: ({ n }) => ({ n }) }, { name: "ask", agent: "wirter", inputFrom: ({ n }) => n.toFixed() }] });
// @ts-expect-error nor in a parallel, a foreach, a switch, a loop, a lane and an approval
new Workflow({ name: "t", agents: { writer }, steps: [{ name: "p", parallel: [{ name: "e", items: "list", steps: [{ name: "s", cases: [], default: [{ name: "l", repeat: { while: "true" }, maxIterations: 2, steps: [{ name: "lane", steps: [{ name: "a", type: "approval", else: [{ name: "ask", agent: "wirter" }] }] }] }] }] }] }] });
// The error stands where the name is written, and functions beside it have the type of the state.
new Workflow({
  name: "t",
  agents: { writer, editor: writer },
  initialState: { n: 1 },
  steps: [
    { name: "f", run: ({ n }) => ({ n: n + 1 }) },
    {
      name: "both",
      parallel: [
        { name: "one", agent: "editor", inputFrom: ({ n }) => n.toFixed() },
        {
          name: "two",
          // @ts-expect-error there is no such agent
          agent: "wirter",
          // @ts-expect-error nor such a method of a number
          inputFrom: ({ n }) => n.nope(),
        },
        {
          name: "three",
          agent: "writer",
          history: {
            key: "talk",
            // @ts-expect-error nor one that sums up
            summary: "nobody",
          },
        },
      ],
    },
  ],
});
// Whose names nobody knows, of these any may be meant.
declare const named: { [id: string]: Agent };
new Workflow({ name: "t", agents: named, steps: [{ name: "ask", agent: "any" }] });
new Workflow({ name: "t", agents: { writer }, steps: [...loose, agentStep({ name: "ask", agent: "writer" })] });
new Workflow<State>({ name: "t", agents: { writer }, steps: [...loose, { name: "ask", agent: "writer" }, ...strict] });
new Workflow({ name: "t", agents: undefined, steps: loose });

// A state with fixed keys takes none besides, where a patch or the initial state has no key of it.
// @ts-expect-error no key of the state
new Workflow<State>({ name: "t", steps: [{ name: "a", run: () => ({ other: 1 }) }] });
// @ts-expect-error also later
new Workflow<State>({ name: "t", steps: [{ name: "a", run: async () => ({ other: 1 }) }] });
// @ts-expect-error and of a generator
new Workflow<State>({ name: "t", steps: [{ name: "a", *run() { yield "a"; return { other: 1 }; } }] });
// @ts-expect-error no key of the state, beside one
new Workflow<State>({ name: "t", initialState: { n: 1, other: 1 }, steps: [] });
// @ts-expect-error where the patch says what it is, also beside a key
new Workflow<State>({ name: "t", steps: [{ name: "a", run: () => ({ n: 1, other: 1 }) satisfies Partial<State> }] });

// Keys of one's own stand on every kind of step, and on the workflow.
new Workflow({
  name: "own keys",
  "x-team": "bees",
  steps: [
    { name: "ask", ...spread, inputFrom: "Hi", "x-owner": "Ada" },
    { name: "set", run: { set: { n: "1" } }, "x-colour": { hue: 3 } },
    { name: "if", condition: "true", steps: [{ name: "inner", run: () => ({}), "x-note": null }], "x-note": 1 },
    { name: "both", parallel: [], "x-note": [1] },
    { name: "ask-first", type: "approval", message: "Well?", "x-note": true },
  ],
});
// @ts-expect-error a key that is neither known nor one's own
new Workflow({ name: "t", steps: [{ name: "a", run: () => ({}), colour: 1 }] });
// @ts-expect-error only a foreach has a list, where the state may have any key
new Workflow({ name: "t", steps: [{ name: "a", type: "function", run: () => ({}), items: "list" }] });
// @ts-expect-error and where its type is given
new Workflow<State>({ name: "t", steps: [{ name: "a", type: "function", run: () => ({}), items: "list" }] });
// @ts-expect-error what JSON cannot hold
new Workflow({ name: "t", steps: [{ name: "a", run: { set: {} }, "x-when": new Date() }] });

// A request has one body and one way to say who sends it; a list of origins may be one that nobody changes.
const allowed = ["https://a.example", "https://b.example"] as const;
new Workflow({ name: "t", steps: [{ name: "a", http: { url: "{{ u }}", origins: allowed, body: { text: "x", type: "text/csv" } } }, { name: "b", http: { url: "https://a.example", body: { json: { a: 1 } }, auth: { bearer: { secret: "K" } } } }] });
// @ts-expect-error two bodies
new Workflow({ name: "t", steps: [{ name: "a", http: { url: "https://a.example", body: { json: 1, text: "x" } } }] });
// @ts-expect-error the type of a text, with a form
new Workflow({ name: "t", steps: [{ name: "a", http: { url: "https://a.example", body: { form: { a: "1" }, type: "text/csv" } } }] });
// @ts-expect-error two ways
new Workflow({ name: "t", steps: [{ name: "a", http: { url: "https://a.example", auth: { bearer: { secret: "K" }, basic: { user: "u", password: { secret: "K" } } } } }] });

// Either way of going on, and not both.
new Workflow({
  name: "ways",
  steps: [
    { name: "list", http: { url: "https://api.example/x", query: { n: undefined, m: "1" }, pages: { next: "body.next", max: 3 } } },
    { name: "more", http: { url: "https://api.example/x", pages: { cursor: { query: "after", value: "body.next" }, items: "body.items", max: 3 } } },
    // @ts-expect-error a page is found by one of both
    { name: "both", http: { url: "https://api.example/x", pages: { next: "body.next", cursor: { query: "after", value: "body.next" }, max: 3 } } },
    // @ts-expect-error a loop ends by one of both
    { name: "twice", repeat: { while: "n < 3", until: "n > 3" }, maxIterations: 3, steps: [] },
  ],
});
// @ts-expect-error a loop says how many rounds there are at most
new Workflow({ name: "t", steps: [{ name: "endless", repeat: { while: "n < 3" }, steps: [] }] });
// @ts-expect-error the same where the type of the state is given
new Workflow<{ n: number }>({ name: "t", steps: [{ name: "endless", repeat: { while: ({ n }) => n < 3 }, steps: [{ name: "c", run: () => ({ n: 1 }) }] }] });
