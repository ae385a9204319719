// What a program exports has types that its declarations can name: a library, or a project of a workspace, has them made.
import { Agent, agentStep, approvalStep, conditionStep, customModel, demo, functionStep, parallelStep, tool, Workflow } from "stepweave";
import { Workflow as OfFunctions } from "stepweave/functions";
import { runsObject } from "stepweave/durable";
import { bearer, handler, type ResumeOptions } from "stepweave/http";
import { traced } from "stepweave/otel";
import { ReasoningAgent, think } from "stepweave/reasoning";
import { memoryStore } from "stepweave/stores";
import { scriptedModel } from "stepweave/testing";
import { z } from "zod";

export const search = tool({ name: "search", input: z.object({ query: z.string() }), execute: ({ query }) => [query] });
export const model = customModel("own", async () => "text");
export const script = scriptedModel(["text"]);
export const writer = new Agent({ name: "writer", model: demo(), tools: [search] });
export const judge = new Agent({ name: "judge", model: demo(), output: z.object({ score: z.number() }) });
export const planner = new ReasoningAgent({ name: "planner", model: demo(), steps: [think("plan", (input) => `Plan ${input}`)] });

export const shorten = functionStep({ name: "shorten", input: z.object({ draft: z.string() }), run: ({ draft }) => ({ draft: draft.slice(0, 9) }) });
export const ask = agentStep({ name: "ask", agent: writer, inputFrom: "Hi" });
export const branch = conditionStep({ name: "branch", condition: "true", steps: [ask], else: [shorten] });
export const both = parallelStep({ name: "both", parallel: [ask, branch] });
export const boss = approvalStep({ name: "boss", schema: z.object({ ok: z.boolean() }), expiresMs: 1, expired: [ask] });

export const any = new Workflow({ name: "any", agents: { writer, planner }, steps: [ask, boss, { name: "plan", agent: "planner" }] });
export const begun = new Workflow({ name: "begun", initialState: { n: 1 }, steps: [{ name: "add", run: ({ n }) => ({ n: n + 1 }) }] });
export const stated = new Workflow<{ n: number }>({ name: "stated", steps: [] });
export const asking = new Workflow({ name: "asking", input: z.object({ city: z.string() }), steps: [] });
export const functions = new OfFunctions({ name: "functions", initialState: { n: 1 }, steps: [] });
export const read = Workflow.fromDocument(any.toDocument());
export const seen = traced(asking);
export const served = handler(begun, { authorize: bearer({ shop: "token" }), store: memoryStore() });
export const run = begun.start();
export const result = await writer.run("Hi");
export const main = async () => (await asking.run({ state: { city: "Porto" } })).stepResults;

// As Cloudflare's own types have it: a namespace is of classes with a mark that `DurableObject` has.
declare const MARK: unique symbol;
interface Marked { readonly [MARK]: never }
declare abstract class DurableObject<Env = unknown> implements Marked {
  readonly [MARK]: never;
  protected ctx: { readonly id: string };
  protected env: Env;
  constructor(ctx: { readonly id: string }, env: Env);
  fetch?(request: Request): Response | Promise<Response>;
  alarm?(): void | Promise<void>;
}
interface Namespace<Type extends Marked> { getByName(name: string): Type }
interface Env { readonly TOKEN: string; readonly RUNS: Namespace<Runs> }

export class Runs extends runsObject(new Workflow({ name: "orders", steps: [ask] }), ({ TOKEN }: Env) => ({ authorize: bearer({ shop: TOKEN }) }), DurableObject) {}
export class Bare extends runsObject(new Workflow({ name: "orders", steps: [ask] }), ({ TOKEN }: Env) => ({ authorize: bearer({ shop: TOKEN }) })) {}
export const resumed = async ({ RUNS }: Env, options: ResumeOptions): Promise<string> => (await RUNS.getByName("all").resume("order-17", options)).status;
// @ts-expect-error: without DurableObject it has no mark
export type OfBare = Namespace<Bare>;
