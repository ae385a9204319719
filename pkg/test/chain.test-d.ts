// What a user's editor must accept, and must refuse, of agents with steps.
import { Agent, agentStep, demo, openai, Workflow } from "stepweave";
import { act, canExecuteWith, createAgent, isCompatibleWith, ModelConfig, ReasoningAgent, run, step, stepConfig, think } from "stepweave/reasoning";
import type { AgentEvent, AgentResult, AgentRun } from "stepweave";
import type { AgentContext, ReasoningEvent, ReasoningResult, ReasoningRun, RunningAgent, StepContext, StepHelper, StepRecord } from "stepweave/reasoning";

type Equal<Left, Right> = (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false;
declare function sure<Statement extends true>(): Statement;

const local = act("local", { sendToLlm: false, inputs: 1, config: { retryCount: 1, timeout: 2.5 } }, (latest: string, context: StepContext) => {
  sure<Equal<typeof context.signal, AbortSignal>>();
  context.state.set("length", latest.length);
  return { length: latest.length };
});
sure<Equal<typeof local, StepRecord>>();

const agent = new ReasoningAgent({
  name: "typed",
  model: openai("gpt-5-mini"),
  steps: [think((input) => `Think: ${input}`), think("named", (input: string) => input), think({ name: "with" }, () => ""), local, step({ type: "observe", func: function look() {} })],
  run: run(async (input, { steps, name }, context) => [await steps.named?.(input), name, context.results], { description: "in its own way" }),
  maxHistorySize: 0,
});
new ReasoningAgent({ name: "bare", model: demo(), run: (input) => input });

const result = await agent.run({ any: ["json"] }, { state: { seen: 1 }, signal: new AbortController().signal });
sure<Equal<typeof result, ReasoningResult>>();
sure<Equal<typeof result.text, string | undefined>>();
sure<Equal<typeof result.context, AgentContext>>();
const judge = new Agent({ name: "judge", model: demo(), output: { type: "object", properties: { score: { type: "number" } }, required: ["score"] } });
const judged = await judge.run("a poem");
sure<Equal<typeof judged.value, { score: number } | undefined>>();
sure<Equal<typeof judged, AgentResult<{ score: number }>>>();
const plain = await new Agent({ name: "plain", model: demo() }).run("x");
sure<Equal<typeof plain.text, string | undefined>>();
const asking: AgentRun = new Agent({ name: "plain", model: demo() }).start("x");
for await (const event of asking.events) sure<Equal<typeof event, AgentEvent>>();
// @ts-expect-error steps are for agents of stepweave/reasoning
new Agent({ name: "plain", model: demo(), steps: [] });
const started: ReasoningRun = agent.start("x");
for await (const event of agent.stream("x")) {
  sure<Equal<typeof event, ReasoningEvent>>();
  if (event.type === "step.delta") sure<Equal<typeof event.text, string>>();
  if (event.type === "run.done") sure<Equal<typeof event.result.value, any>>();
}

const fits: boolean = await isCompatibleWith(local, local, "assignable");
const takes: boolean = await canExecuteWith(local, 5);
const helper: StepHelper = think;
const small = createAgent({ role: "translator", systemPrompt: "Translate.", model: demo(), step: "translate", modelParams: { seed: 1 } });
const config: number = stepConfig({ retryCount: 1 }).retryCount;
const merged: ModelConfig = new ModelConfig({ name: "m", max_tokens: 5 }).merge({ temperature: 1 });

// What must be refused.
// @ts-expect-error a step never changes
local.name = "other";
// @ts-expect-error there is no such type
step({ type: "dream", func: () => "" });
// @ts-expect-error without a function it is a decorator
new ReasoningAgent({ name: "a", model: demo(), steps: [think("nothing")] });
class Analyst extends ReasoningAgent {
  @think({ description: "What there is." })
  analyse(topic: string): string {
    sure<Equal<typeof this.language, string>>();
    return `${topic} in ${this.language}`;
  }
  @act
  count(analysis: string, topic: string, context: StepContext) {
    return [analysis.length, topic.length, context.iteration];
  }
  @run({ description: "in its own way" })
  async main(topic: string, { steps }: RunningAgent) {
    return steps.analyse?.(topic);
  }
  // @ts-expect-error a step is a method
  @think() field = 1;
  // @ts-expect-error a step is no getter
  @think() get value() { return 1; }
  // @ts-expect-error a step belongs to an agent, and not to its class
  @think() static whole() {}
  // @ts-expect-error no such option
  @think({ sendToLLM: false }) wrong() {}
  language = "English";
}
new Workflow({ name: "w", agents: { a: agent }, steps: [{ name: "one", agent, inputFrom: (state) => state.topic, retryCount: 1 }, agentStep({ name: "two", agent: new Analyst({ name: "b", model: demo() }) })] });
const analysed: string = new Analyst({ name: "analyst", model: demo() }).analyse("bees");
class NoAgent {
  // @ts-expect-error the class extends ReasoningAgent
  @think() analyse() {}
}
// @ts-expect-error no such option
think("s", { sendToLLM: false }, () => "");
// @ts-expect-error steps are records
new ReasoningAgent({ name: "a", model: demo(), steps: [() => ""] });
// @ts-expect-error the context's state is given as `state`
void agent.run("x", { context: {} });
// @ts-expect-error a model config has a name
new ModelConfig({ temperature: 1 });
export { analysed, NoAgent, config, fits, helper, merged, small, started, takes };
