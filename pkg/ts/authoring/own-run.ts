import type { AgentEvent, AgentResult, AgentRun, AgentRunOptions, AgentStream } from "../api/agent.js";
import type { Agent } from "../api/agent.js";
import { StepweaveError } from "../api/errors.js";
import type { RunEvent } from "../api/events.js";
import type { RunResult } from "../api/results.js";
import type { RunOptions } from "../api/run.js";
import { Driver } from "../run/driver.js";
import { Program } from "../run/program.js";
import { extrasOf } from "../run/extras.js";
import { textsOf } from "../run/texts.js";
import { Catalog } from "./catalog.js";
import { normalise } from "./normalise.js";
import { plainInput } from "./plain-input.js";
import { emptyMessageIn } from "./conversation.js";
import { inputFor } from "./text.js";

/** A conversation that is continued by its caller is shortened by nobody else. */
const MOST = 2 ** 32 - 1;

/** What runs of the agent by itself are made of: a workflow of one step, in which it answers the input. */
export function programOf(agent: Agent): Program {
  return new Program(
    normalise(
      {
        name: agent.name,
        steps: [{ name: "answer", agent, inputFrom: (state) => inputFor(state.input) as string, history: { key: "messages", maxMessages: MOST } }],
        retryPolicy: { maxRetries: 0, backoffMs: 0 },
      },
      new Catalog(),
    ),
  );
}

/** A run of an agent by itself, outside of a workflow. */
export class OwnRun implements AgentRun {
  readonly #driver: Driver;
  /** Whether what comes in pieces is the answer itself, and no JSON that is read when it is whole. */
  readonly #isText: boolean;
  #answered: AgentResult | undefined;

  constructor(agent: Agent, program: Program, input: unknown, options: AgentRunOptions | undefined) {
    this.#driver = new Driver(program, optionsFor(agent, input, options));
    this.#isText = agent.output === undefined;
  }

  get id(): string {
    return this.#driver.id;
  }

  get events(): AsyncIterable<AgentEvent> {
    return { [Symbol.asyncIterator]: () => this.#eventsOf(this.#driver.events[Symbol.asyncIterator]()) };
  }

  get textStream(): AsyncIterable<string> {
    return { [Symbol.asyncIterator]: () => textsOf(this.events, () => this.#isText) };
  }

  get result(): Promise<AgentResult> {
    return this.#driver.result.then((result) => this.#resultOf(result));
  }

  cancel(reason?: unknown): void {
    this.#driver.cancel(reason);
  }

  /** The events; leaving the loop over them cancels the run. */
  stream(): AgentStream {
    return this.#eventsOf(this.#driver.stream());
  }

  #eventsOf(events: AsyncIterator<RunEvent>): AgentStream {
    const changed = ({ done, value }: IteratorResult<RunEvent>): IteratorResult<AgentEvent> =>
      done === true ? { done, value: undefined } : { done: false, value: ("result" in value ? { ...value, result: this.#resultOf(value.result) } : value) as AgentEvent };
    return {
      next: async () => changed(await events.next()),
      return: async () => {
        await events.return?.();
        return { done: true, value: undefined };
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  /** The same object for the result and for the last event. */
  #resultOf(result: RunResult): AgentResult {
    if (this.#answered !== undefined) return this.#answered;
    const isDone = result.status === "done";
    const value: unknown = isDone ? result.state.answer_output : undefined;
    const { messages } = result.state;
    const extras = isDone ? extrasOf(result.stepResults[0] ?? {}) : {};
    const answer = { ...(value !== undefined && { value }), ...(typeof value === "string" && { text: value }), ...(messages !== undefined && { messages }), ...extras };
    // The journal is made when it is read.
    return (this.#answered = Object.freeze(Object.defineProperties(answer, Object.getOwnPropertyDescriptors(result))) as AgentResult);
  }
}

/** The options of the agent's run. What is wrong with them is for the run to say, which the caller holds by then. */
function optionsFor(agent: Agent, input: unknown, options: AgentRunOptions = {}): RunOptions {
  if (typeof options !== "object" || options === null) return options;
  try {
    if (Array.isArray(options)) return options;
    const { state, stream, ...others } = options as AgentRunOptions & { readonly state?: unknown; readonly stream?: unknown };
    if (input === undefined || input === null) throw new StepweaveError("validation", `the agent ${agent.name} was given nothing to answer`, { hint: 'pass a text, a conversation or a value, such as agent.run("Which bees make honey?")' });
    if (Array.isArray(input) && input.length === 0) throw new StepweaveError("validation", `the agent ${agent.name} was given an empty conversation`, { hint: 'begin with a message, such as agent.run([{ role: "user", content: "Which bees make honey?" }])' });
    const empty = emptyMessageIn(input);
    if (empty !== undefined) throw saysNothing(agent.name, input, empty);
    if (state === undefined && stream === undefined) return { ...others, state: { input: plainInput(input) } };
    const lost = state === undefined ? "stream" : "state";
    throw new StepweaveError("validation", `a run of the agent ${agent.name} has no option \`${lost}\``, {
      hint: "leave it out: it is for agents with steps, each a `ReasoningAgent` of stepweave/reasoning",
    });
  } catch (error) {
    return {
      get state(): never {
        throw error;
      },
    };
  }
}

function saysNothing(agent: string, messages: unknown, at: number): StepweaveError {
  const { role } = (messages as readonly { readonly role: string }[])[at] ?? {};
  const [key, hint] = role === "tool" ? ["results", 'write { role: "tool", results: [{ id, name, output }] }'] : ["content", 'write { role: "user", content: a text or a list of parts }'];
  return new StepweaveError("validation", `message ${at + 1} of the conversation that the agent ${agent} was given has no \`${key}\``, { hint });
}
