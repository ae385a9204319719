// Agents whose steps are methods with standard decorators, as TypeScript compiles them: what is wrong with them here.
import type * as Main from "stepweave";
import type * as Reasoning from "stepweave/reasoning";

/** Defines and runs agents of several classes; returns what is wrong. */
export async function decorators({ customModel, StepweaveError }: typeof Main, { act, createStepHelper, observe, ReasoningAgent, run, synthesize, think }: typeof Reasoning): Promise<string[]> {
  const faults: string[] = [];
  const expect = (what: string, actual: unknown, expected: unknown): void => {
    const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
    if (got !== wanted) faults.push(`${what}: ${got} in place of ${wanted}`);
  };
  /** An agent's model that says what it receives, in brackets. */
  const model = customModel("echo", ({ messages }) => {
    const message = messages.at(-1);
    const [part] = message?.role === "user" ? message.content : [];
    return `<${part?.type === "text" ? part.text : ""}>`;
  });
  /** What goes by the name of another decorator: it may put a function of its own in place of the method. */
  const shouted = <This, Own extends (this: This, ...inputs: any[]) => unknown>(method: Own, _: ClassMethodDecoratorContext<This, Own>): Own =>
    function (this: This, ...inputs: any[]) {
      return `${String(method.apply(this, inputs))}!`;
    } as Own;

  class Analyst extends ReasoningAgent {
    readonly language: string;

    constructor(language = "English") {
      super({ name: "analyst", model });
      this.language = language;
    }

    @think
    analyse(topic: string): string {
      return `Analyse ${topic} in ${this.language}`;
    }

    @observe({ description: "Finds facts.", config: { retryCount: 1 } })
    gather(analysis: string, topic: string): string {
      return `Gather ${topic} for ${analysis}`;
    }

    @act("count", { sendToLlm: false, inputs: 1 })
    countWords(facts: string, context: Reasoning.StepContext): { readonly words: number; readonly earlier: readonly string[] } {
      return { words: facts.split(" ").length, earlier: Object.keys(context.results) };
    }
  }

  const analyst = new Analyst();
  const { status, value, results } = await analyst.run("bees");
  expect("the run of a class", [status, value], ["done", { words: 7, earlier: ["analyse", "gather"] }]);
  expect("its results", results["gather"], "<Gather bees for <Analyse bees in English>>");
  expect("its steps", analyst.listSteps().map(String), ["Step(analyse) | Type: THINK", "Step(gather) | Type: OBSERVE | Description: Finds facts.", "Step(count) | Type: ACT"]);
  expect("a method that is called by itself", analyst.analyse("ants"), "Analyse ants in English");

  // What a class overrides stands where it stood, with what is said of it there or else here; what it adds comes behind.
  class Poet extends Analyst {
    override analyse(topic: string): string {
      return `Dream of ${topic}`;
    }

    @act({ name: "collect", sendToLlm: false })
    override gather(dream: string): string {
      return dream.toUpperCase();
    }

    @synthesize({ inputs: 1 })
    @shouted
    write(count: { readonly words: number }): string {
      return `Write ${count.words} words`;
    }
  }
  const poet = new Poet("French");
  const written = await poet.run("bees");
  expect("the steps of a class that extends another", poet.listSteps().map(({ name, type }) => `${name} ${type}`), ["analyse think", "collect act", "count act", "write synthesize"]);
  expect("its run", [written.value, written.results["collect"]], ["<Write 3 words!>", "<DREAM OF BEES>"]);
  expect("the class that it extends", new Analyst().listSteps().length, 3);

  // A decorator further out may wrap the step; the method of a custom run is called with the agent as `this`.
  class Reviewer extends ReasoningAgent {
    readonly #limit = 10;

    @shouted
    @(createStepHelper("think")({ inputs: 1 }))
    draft(topic: string): string {
      return `Draft ${topic}`;
    }

    @think()
    review(text: string): string {
      return `Review ${text}`;
    }

    @run({ description: "reviews what is long" })
    async main(topic: string, { steps }: Reasoning.RunningAgent): Promise<unknown> {
      const draft: string = await steps["draft"]?.(topic);
      return draft.length > this.#limit ? steps["review"]?.(draft) : draft;
    }
  }
  const reviewer = new Reviewer({ name: "reviewer", model });
  expect("a custom run", (await reviewer.run("bees")).value, "<Review <Draft bees!>>");
  expect("its description", reviewer.customRun?.description, "reviews what is long");
  class Quick extends Reviewer {
    override async main(topic: string): Promise<unknown> {
      return `quick ${topic}`;
    }
  }
  expect("a custom run of a class that extends another", (await new Quick({ name: "quick", model }).run("bees")).value, "quick bees");
  expect("steps of the definition and of methods", new Reviewer({ name: "r", model, steps: [act("first", () => "")] }).listSteps().map(({ name }) => name), ["first", "draft", "review"]);

  const refused = (what: string, define: () => unknown, message: RegExp): void => {
    try {
      define();
      faults.push(`${what} is not refused`);
    } catch (error) {
      const { code, message: said, hint } = error as Main.StepweaveError;
      if (!(error instanceof StepweaveError) || code !== "validation" || hint === undefined || !message.test(said)) faults.push(`${what}: ${String(error)}`);
    }
  };
  // As programs without types write them.
  const step: any = think;
  const custom: any = run;
  refused("a field", () => class { @step({}) x = 1; }, /^@think stands on the field `x`, but makes steps of methods/);
  refused("a getter", () => class { @step() get x() { return 1; } }, /^@think stands on the getter `x`/);
  refused("an accessor", () => class { @step accessor x = 1; }, /^@think stands on the accessor `x`/);
  refused("a static method", () => class { @step() static x() {} }, /^@think stands on the static method `x`/);
  refused("a private method", () => class { @step() #x() {} y() { this.#x(); } }, /^@think stands on the private method `#x`/);
  refused("a method named by a symbol", () => class { @step() [Symbol.iterator]() {} }, /^@think stands on the symbol method `Symbol\(Symbol.iterator\)`/);
  refused("a class", () => { @step() class Whole {} return Whole; }, /^@think stands on the class `\w+`/);
  refused("a custom run on a field", () => class { @custom x = 1; }, /^@run stands on the field `x`/);
  refused("options that do not exist", () => class { @step({ sendToLLM: false }) x() {} }, /^the step `x` has no option `sendToLLM`/);
  refused("options that exclude each other", () => class { @step({ stream: true, jsonOutput: true }) x() {} }, /^the step `x` has `stream` and `jsonOutput`/);
  refused("a class of another kind", () => new (class { @step() x() {} })(), /no ReasoningAgent/);
  const definition = { name: "a", model };
  refused("a method that is decorated twice", () => new (class extends ReasoningAgent { @step() @(act() as any) x() {} })(definition), /^the method `x` of a is decorated twice/);
  refused("two steps of one name", () => new (class extends ReasoningAgent { @step() x() {} @step("x") y() {} })(definition), /^a has two steps named `x`/);
  refused("two custom runs", () => new (class extends ReasoningAgent { @custom() x() {} @custom y() {} })(definition), /^a has two custom runs/);
  refused("the name of a member", () => new (class extends ReasoningAgent { @custom() override run(): any {} })(definition), /^the method `run` of a has the name of what every ReasoningAgent has/);
  refused("a list of steps with a decorator in it", () => new ReasoningAgent({ ...definition, steps: [step("x")] }), /^steps\[0\] of a is no step/);
  // What compilers call that have `experimentalDecorators` on.
  refused("decorators from before the standard", () => step({})({}, "x", { value() {} }), /called as decorators were before the standard$/);
  refused("the same without parentheses", () => step({}, "x", { value() {} }), /called as decorators were before the standard$/);
  refused("the same on a field", () => custom({}, "x"), /called as decorators were before the standard$/);
  return faults;
}
