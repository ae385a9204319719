// What a user's editor must accept, and must refuse. Checked by tsc against the built declarations.
import { Agent, demo, openai, StepweaveError, validate, Workflow } from "stepweave";
import type { ErrorCode, Problem, Provider, Run, RunContext, RunEvent, RunResult, WorkflowDefinition, WorkflowDocument } from "stepweave";
import { connect, serve, type Connection } from "stepweave/worker";

type Equal<Left, Right> = (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false;
declare function sure<Statement extends true>(): Statement;

interface State {
  topic: string;
  score?: number;
  draft_output?: string;
}

const writer = new Agent({ name: "writer", model: openai("gpt-5-mini", { params: { temperature: 0.2 } }), instructions: "Write." });

// The state flows into every function, and a patch must fit it.
const workflow = new Workflow<State>({
  name: "typed",
  initialState: { topic: "bees" },
  retryPolicy: { maxRetries: 2, backoffMs: 1000 },
  onError: "stop",
  steps: [
    { name: "draft", agent: writer, inputFrom: (state) => { sure<Equal<typeof state, Readonly<State>>>(); return state.topic; } },
    { name: "score", run: async (state, context) => { sure<Equal<typeof context, RunContext>>(); return { score: state.draft_output?.length ?? 0 }; } },
    { name: "maybe", condition: (state) => (state.score ?? 0) > 3, steps: [{ name: "nothing", run: () => {} }], else: [{ name: "set", run: { set: { score: "0" } } }] },
    { name: "both", parallel: [{ name: "one", agent: "writer" }, { name: "lane", steps: [] }], concurrency: 2, onConflict: "error" },
  ],
});

const result = await workflow.run({ state: { topic: "ants" }, signal: new AbortController().signal, secrets: { OPENAI_API_KEY: undefined } });
sure<Equal<typeof result, RunResult<State>>>();
if (result.status === "done") sure<Equal<typeof result.state, State>>();
else sure<Equal<typeof result.state, Partial<State>>>();
if (result.status === "cancelled") sure<Equal<typeof result.reason, string | undefined>>();
else sure<Equal<typeof result.reason, undefined>>();
const run = workflow.start();
sure<Equal<typeof run, Run<State>>>();
for await (const event of workflow.stream()) {
  sure<Equal<typeof event, RunEvent<State>>>();
  if (event.type === "step.delta") sure<Equal<typeof event.text, string>>();
  if (event.type === "run.done") sure<Equal<typeof event.result.state, State>>();
  // @ts-expect-error there is no such event
  if (event.type === "step.finished") break;
}

// Without a type argument the state is not checked, whatever the initial state is.
new Workflow({ name: "loose", initialState: { n: 1 }, steps: [{ name: "x", run: (state) => ({ other: state.anything.at.all }) }] });

// What must be refused.
new Workflow<State>({ name: "t", steps: [{ name: "x", run: () => ({ score: "text" as const }) }] } as unknown as WorkflowDefinition<State>);
// @ts-expect-error a patch of the wrong type
new Workflow<State>({ name: "t", steps: [{ name: "x", run: () => ({ score: "text" }) }] });
// @ts-expect-error the state is read-only
new Workflow<State>({ name: "t", steps: [{ name: "x", run: (state) => { state.topic = "x"; } }] });
// @ts-expect-error a condition decides
new Workflow<State>({ name: "t", steps: [{ name: "x", condition: () => "yes", steps: [] }] });
// @ts-expect-error a workflow has a name
new Workflow<State>({ steps: [] });
// @ts-expect-error a step has a name
new Workflow<State>({ name: "t", steps: [{ run: () => {} }] });
// @ts-expect-error a state of the wrong type
void workflow.run({ state: { topic: 5 } });
// @ts-expect-error an agent needs a model
new Agent({ name: "a" });
// @ts-expect-error the result is read-only
result.status = "done";
// @ts-expect-error no such code
new StepweaveError("oops", "text");

// Documents, problems and errors.
const document: WorkflowDocument = workflow.toDocument();
Workflow.fromDocument(document, { handlers: workflow.handlers });
Workflow.fromDocument<State>(JSON.stringify(document));
const problems: readonly Problem[] = await validate(document);
const code: ErrorCode = StepweaveError.from(new StepweaveError("auth", "x", { hint: "y" }).toJSON()).code;
sure<Equal<ReturnType<typeof demo>["provider"], Provider>>();

// The worker bridge.
const connection: Connection = connect(new Worker("worker.js"));
const remote: Run = connection.start(document, { state: { topic: "x" } });
const stop: () => void = serve();
export { code, problems, remote, stop };
