// What types follow by themselves. Checked by tsc against the built declarations.
import { Agent, agentStep, approvalStep, conditionStep, demo, functionStep, openai, parallelStep, tool, Workflow } from "stepweave";
import type { AgentResult, AnswerOf, RunResult, StepweaveError } from "stepweave";
import type { AnswerExtras } from "stepweave/types";
import type { Pending, RunOptions, StepBase, WorkflowDefinition } from "stepweave";
import { runDurably, type DurableEngine } from "stepweave/durable";
import { Workflow as OfFunctions } from "stepweave/functions";
import { traced } from "stepweave/otel";
import { indexedDbStore, unstorageStore } from "stepweave/stores";
import * as v from "valibot";
import { z } from "zod";

declare const engine: DurableEngine;
type Equal<Left, Right> = (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false;
declare function sure<Statement extends true>(): Statement;
/** The state of a run that is done. */
type Done<Result extends RunResult> = Extract<Result, { status: "done" }>["state"];

// The state begins as the initial state; steps may add keys of any type.
const counted = new Workflow({
  name: "count",
  initialState: { n: 1, list: ["a"] },
  steps: [
    { name: "add", run: (state) => { sure<Equal<typeof state.n, number>>(); sure<Equal<typeof state.list, string[]>>(); return { n: state.n + 1, more: true }; } },
    { name: "if", condition: (state) => state.n > 1 && state.more, steps: [{ name: "deep", run: (state) => { sure<Equal<typeof state.n, number>>(); return { n: state.n }; } }] },
  ],
});
const end = await counted.run({ state: { n: 3, another: "key" } });
if (end.status === "done") sure<Equal<typeof end.state.n, number>>();
else sure<Equal<typeof end.state.n, number | undefined>>();
// @ts-expect-error what failed or waits may not have come to a key: only where the run is done the state is whole
end.state.n.toFixed();
void end.state.whatever;
// @ts-expect-error an initial number is no text
void counted.run({ state: { n: "3" } });
// @ts-expect-error a patch of the wrong type
new Workflow({ name: "t", initialState: { n: 1 }, steps: [{ name: "x", run: () => ({ n: "one" }) }] });
// @ts-expect-error a number has no length
new Workflow({ name: "t", initialState: { n: 1 }, steps: [{ name: "x", run: (state) => ({ m: state.n.length }) }] });
// @ts-expect-error a step has a name
new Workflow({ name: "t", initialState: { n: 1 }, steps: [{ run: () => {} }] });

// What `input` says, in a library's words and in JSON Schema's.
new Workflow({ name: "t", input: z.object({ city: z.string() }), steps: [{ name: "x", run: (state) => { sure<Equal<typeof state.city, string>>(); } }] });
new Workflow({ name: "t", input: v.object({ city: v.string() }), steps: [{ name: "x", run: (state) => { sure<Equal<typeof state.city, string>>(); } }] });
const typed = new Workflow({
  name: "t",
  input: { type: "object", properties: { city: { type: "string" }, days: { type: "integer" } }, required: ["city"] },
  initialState: { unit: "C" },
  steps: [{ name: "x", run: (state) => { sure<Equal<typeof state.city, string>>(); sure<Equal<typeof state.unit, string>>(); return { answer: state.city + (state.days ?? 1) }; } }],
});
sure<Equal<Done<Awaited<ReturnType<typeof typed.run>>>["city"], string>>();

// A run is given what a schema takes; its steps see what the schema makes of that.
const changing = new Workflow({ name: "t", input: z.object({ d: z.string().transform(Number), unit: z.string().default("m") }), initialState: { n: 1 }, steps: [{ name: "x", run: (state) => { sure<Equal<typeof state.d, number>>(); sure<Equal<typeof state.unit, string>>(); } }] });
for (const workflow of [changing, traced(changing), changing.withDocument(changing.toDocument())]) {
  sure<Equal<Done<Awaited<ReturnType<typeof workflow.run>>>["d"], number>>();
  void workflow.run({ state: { d: "3" } });
  void workflow.start({ state: { d: "3", unit: "km", n: 2, another: "key" } });
  // @ts-expect-error the schema takes a text, and makes a number of it
  void workflow.run({ state: { d: 3 } });
  // @ts-expect-error an initial number is no text
  void workflow.stream({ state: { d: "3", n: "2" } });
}
void new Workflow({ name: "t", input: v.object({ size: v.pipe(v.string(), v.transform(Number)) }), steps: [] }).run({ state: { size: "3" } });
void new Workflow({ name: "t", input: z.object({ a: z.coerce.number() }), steps: [] }).run({ state: { a: "3" } });
// What converts a whole state itself is given anything.
void new Workflow({ name: "t", input: z.preprocess((given) => given, z.object({ a: z.number() })), steps: [] }).run({ state: { b: "3" } });
takes(changing);
void runDurably(engine, changing, { id: "1" }).then((result) => sure<Equal<Done<typeof result>["d"], number>>());

// What a library's schema requires has to be given, unless the initial state has it or the run goes on from a journal.
const asking = new Workflow({ name: "t", input: z.object({ city: z.string(), unit: z.string(), days: z.number().default(1) }), initialState: { unit: "C" }, steps: [{ name: "x", run: ({ city, days, unit }) => ({ line: city + unit + days.toFixed() }) }] });
for (const workflow of [asking, traced(asking), asking.withDocument(asking.toDocument())]) {
  const { journal } = await workflow.run({ state: { city: "Porto", another: "key" }, journal: true });
  void workflow.run({ journal, answers: {} });
  void workflow.start({ journal: "id", store: indexedDbStore() });
  // @ts-expect-error the city is missing
  void workflow.run();
  // @ts-expect-error also where the options have something else
  void workflow.start({ seed: 1 });
  // @ts-expect-error and where the state has
  void workflow.stream({ state: { days: 2, unit: "K" } });
  // @ts-expect-error a new journal has no state
  void workflow.run({ journal: true });
  // @ts-expect-error there is no such option
  void workflow.run({ state: { city: "Porto" }, sate: {} });
}
takes(asking);
void new OfFunctions({ name: "t", input: v.object({ n: v.number() }), steps: [] }).run({ state: { n: 1 } });
// @ts-expect-error the same without agents
void new OfFunctions({ name: "t", input: v.object({ n: v.number() }), steps: [] }).run();
const either = z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]);
void new Workflow({ name: "t", input: either, steps: [] }).run({ state: { b: "x" } });
// @ts-expect-error neither of both
void new Workflow({ name: "t", input: either, steps: [] }).run({ state: { c: "x" } });
// Nothing is required of these.
void new Workflow({ name: "t", input: z.object({ n: z.number().default(1), m: z.string().optional() }), steps: [] }).run();
void new Workflow({ name: "t", input: z.looseObject({ n: z.number() }), initialState: { n: 1 }, steps: [] }).run();
void new Workflow({ name: "t", input: z.record(z.string(), z.number()), steps: [] }).stream();
void typed.run();
void new Workflow<{ n: number }>({ name: "t", input: z.object({ n: z.number() }), steps: [] }).run();
const generic = <State extends object>() => new Workflow<State>({ name: "t", steps: [] }).run();
void generic<{ n: number }>().then((result) => result.status === "done" && result.state.n.toFixed());

// A definition that was made before, with its state and without.
declare const definition: WorkflowDefinition<{ n: number }>;
sure<Equal<Done<Awaited<ReturnType<Workflow<{ n: number }>["run"]>>>, { n: number }>>();
new Workflow<{ n: number }>(definition);
const before = new Workflow(definition);
sure<Equal<typeof before, Workflow<{ n: number }>>>();
void before.run({ state: { n: 1 } });
// @ts-expect-error the state of the definition has no such key
void before.run({ state: { m: 1 } });
// @ts-expect-error the definition is of another state
new Workflow<{ n: string }>(definition);
declare const loose: WorkflowDefinition;
const made: Workflow = new Workflow(loose);
declare function takes(workflow: Workflow): void;
takes(counted);
takes(typed);
sure<Equal<(typeof made) extends Workflow ? true : false, true>>();
const nested = new Workflow({ name: "outer", steps: [{ name: "inner", workflow: counted }] });

// Steps written apart see the type of their `input`.
const shorten = functionStep({ name: "shorten", input: z.object({ draft: z.string() }), run: ({ draft }) => { sure<Equal<typeof draft, string>>(); return { draft: draft.slice(0, 9) }; } });
const count = functionStep({ name: "count", input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] }, run: (state) => { sure<Equal<typeof state.n, number>>(); return { n: state.n }; } });
const free = functionStep({ name: "free", run: (state) => ({ anything: state.at.all }) });
const ask = agentStep({ name: "ask", agent: new Agent({ name: "a", model: demo() }), input: v.object({ topic: v.string() }), inputFrom: ({ topic }) => { sure<Equal<typeof topic, string>>(); return topic; } });
const branch = conditionStep({ name: "either", input: z.object({ n: z.number() }), condition: ({ n }) => { sure<Equal<typeof n, number>>(); return n > 1; }, steps: [shorten], else: [count] });
new Workflow({ name: "t", initialState: { n: 1 }, steps: [parallelStep({ name: "all", parallel: [shorten, ask] }), branch, free] });
new Workflow<{ n: number }>({ name: "t", steps: [branch] });
// @ts-expect-error a condition is no key of a function step
functionStep({ name: "x", run: () => {}, condition: "true" });

// A step in a list sees the state of its workflow, whatever its own `input` says; the helpers see that.
new Workflow({ name: "t", initialState: { n: 1 }, steps: [{ name: "inline", input: z.object({ k: z.string() }), run: (state) => { sure<Equal<typeof state.n, number>>(); sure<Equal<typeof state.k, any>>(); } }] });
new Workflow({ name: "t", initialState: { n: 1 }, steps: [functionStep({ name: "apart", input: z.object({ k: z.string() }), run: (state) => { sure<Equal<typeof state.k, string>>(); } })] });

// A result has what its status says.
declare const result: RunResult<{ n: number }>;
if (result.status === "suspended") sure<Equal<typeof result.pending, readonly Pending[]>>();
else sure<Equal<typeof result.pending, undefined>>();
if (result.status === "done") sure<Equal<typeof result.state, { n: number }>>();
else sure<Equal<typeof result.state, Partial<{ n: number }>>>();
declare const open: RunResult;
if (open.status === "error") sure<Equal<typeof open.state.whatever, any>>();
sure<Equal<typeof open.state, any>>();
const { status: ended, state: reached } = result;
if (ended === "done") sure<Equal<typeof reached.n, number>>();
if (result.status === "error" || result.status === "budget") sure<Equal<typeof result.error, StepweaveError>>();
else sure<Equal<typeof result.error, undefined>>();
for await (const event of counted.stream()) {
  if (event.type === "run.error") sure<Equal<typeof event.result.error, StepweaveError>>();
  if (event.type === "run.suspended") sure<Equal<typeof event.result.pending, readonly Pending[]>>();
  if (event.type === "run.done") sure<Equal<typeof event.result.status, "done">>();
  if (event.type === "run.done") sure<Equal<typeof event.result.state.n, number>>();
  if (event.type === "run.cancelled") sure<Equal<typeof event.result.state.n, number | undefined>>();
}
counted.on("run.budget", ({ result }) => sure<Equal<typeof result.error, StepweaveError>>());
declare const answer: AgentResult<{ score: number }>;
if (answer.status === "done") sure<Equal<typeof answer.value, { score: number }>>();
else sure<Equal<typeof answer.value, undefined>>();
if (answer.status === "error") sure<Equal<typeof answer.error, StepweaveError>>();
for await (const event of new Agent({ name: "a", model: demo() }).stream("x")) {
  if (event.type === "run.error") sure<Equal<typeof event.result.error, StepweaveError>>();
  if (event.type === "run.done") void event.result.value;
}

// What is not given may be undefined, everywhere alike.
const nothing: { [Key in keyof RunOptions]-?: undefined } extends RunOptions ? true : false = true;
const base: StepBase = { name: "x", id: undefined, required: undefined, input: undefined, notes: undefined, coerce: undefined };
new Workflow({ name: "t", description: undefined, initialState: undefined, retryPolicy: undefined, limits: { timeoutMs: undefined }, steps: [{ name: "x", retryCount: undefined, timeoutMs: undefined, run: () => {} }] });
new Workflow<{ n: number }>({ name: "t", description: undefined, initialState: undefined, limits: undefined, steps: [{ ...base, run: () => {} }] });
new Agent({ name: "a", model: demo(), instructions: undefined, output: undefined, limits: { maxCost: undefined }, params: { temperature: undefined, reasoningEffort: undefined } });
openai("gpt-5-mini", { apiKey: undefined, params: { top_p: undefined, maxOutputTokens: undefined, stopSequences: undefined }, price: { input: 1, output: 1, longPrompt: undefined } });
indexedDbStore({ name: undefined });
declare const storage: Parameters<typeof unstorageStore>[0];
unstorageStore(storage, { prefix: undefined });
export { nested, nothing };
sure<Equal<typeof answer.sources, AnswerExtras["sources"]>>();

// What a person answers has the type of the schema.
const boss = approvalStep({ name: "boss", message: "Pay?", schema: z.object({ ok: z.boolean(), sum: z.coerce.number() }) });
sure<Equal<AnswerOf<typeof boss>, { ok: boolean; sum: number }>>();
const slow = approvalStep({ name: "slow", schema: z.object({ ok: z.boolean() }), approved: "output.ok", steps: [], else: [{ name: "stop", end: { status: "error" } }], expiresMs: 1000, expired: [{ name: "late", end: {} }] });
sure<Equal<AnswerOf<typeof slow>, { ok: boolean } | null>>();
new Workflow({ name: "t", initialState: { n: 1 }, steps: [slow, { name: "ask", type: "approval", approved: ({ n }) => n > 0, steps: [{ name: "more", run: ({ n }) => ({ n: n + 1 }) }] }] });
const clerk = approvalStep({ name: "clerk", schema: { type: "object", properties: { by: { type: "string" } }, required: ["by"] } });
sure<Equal<AnswerOf<typeof clerk>, { by: string }>>();
sure<Equal<AnswerOf<ReturnType<typeof agentless>>, any>>();
function agentless() {
  return approvalStep({ name: "any" });
}
new Workflow({ name: "t", initialState: { n: 1 }, steps: [boss, clerk, { name: "inline", type: "approval", schema: z.string() }, { name: "json", type: "approval", output: v.string() }] });

// What has a default is there, lists of types and of schemas are unions, and callers need not give what is filled in.
const filled = { type: "object", properties: { unit: { type: "string", default: "m" }, note: { type: ["string", "null"] }, sum: { anyOf: [{ type: "number" }, { type: "string" }] }, kind: { oneOf: [{ const: "a" }, { enum: ["b", "c"] }] } }, required: ["note", "sum", "kind"] } as const;
type Filled = { unit: string; note: string | null; sum: number | string; kind: "a" | "b" | "c" };
functionStep({ name: "x", input: filled, run: ({ unit, note, sum, kind }) => { sure<Equal<{ unit: typeof unit; note: typeof note; sum: typeof sum; kind: typeof kind }, Filled>>(); } });
tool({ name: "x", input: filled, execute: (args) => { sure<Equal<typeof args, Filled>>(); } });
sure<Equal<AnswerOf<ReturnType<typeof asked>>, Filled>>();
function asked() {
  return approvalStep({ name: "x", schema: filled });
}
const given = new Workflow({ name: "t", input: { type: "object", properties: { at: { type: "object", properties: { unit: { type: "string", default: "m" } } } }, required: ["at"] }, steps: [{ name: "x", run: ({ at }) => ({ long: at.unit.length }) }] });
void given.run({ state: { at: {} } });
// @ts-expect-error but not another type of it
void given.run({ state: { at: { unit: 1 } } });
