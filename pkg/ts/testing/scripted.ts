/// <reference lib="esnext.disposable" preserve="true" />
import { StepweaveError } from "../api/errors.js";
import type { ModelAnswer, ModelContext, ModelPart, ModelRequest } from "../api/model-request.js";
import type { Model } from "../api/model.js";
import { madeOf } from "../models/custom.js";
import { kindOf, optionsFrom, reading } from "../schema/options.js";
import { shownRequest, shownTurn } from "./shown.js";
import type { ScriptedPart, ScriptedTurn } from "./turn.js";

/** The context of a test, as node:test, bun or vitest hand it to the test's function. */
export type TestContext = { after(check: () => void): unknown } | { onTestFinished(check: () => void): unknown };

/** Settings of a {@link scriptedModel}. */
export interface ScriptedModelOptions {
  /** The model's name, `scripted` when absent. */
  name?: string | undefined;
  /** The test that it is for: when that ends, {@link ScriptedModel.done} is called. */
  test?: TestContext | undefined;
}

/** A model that answers what a test says. */
export interface ScriptedModel extends Model, Disposable {
  /** The requests it received, in order. */
  readonly requests: readonly ModelRequest[];
  /** Throws when a turn was not used, or when there were more requests than turns. */
  done(): void;
}

/**
 * A model that answers from a script, turn by turn, and offline. A request without a turn fails the
 * calling step.
 *
 * ```ts
 * const model = scriptedModel([
 *   { type: "toolCall", name: "weather", input: { city: "Paris" } },
 *   "It is sunny in Paris.",
 * ]);
 * const agent = new Agent({ name: "helper", model, tools: [weather] });
 * // … run it, then
 * model.done(); // throws if a turn was not used
 * ```
 *
 * Turns are used in the order of the requests; give each of several concurrent agents its own model.
 */
export function scriptedModel(turns: readonly ScriptedTurn[], options: ScriptedModelOptions = {}): ScriptedModel {
  const { name = "scripted", test } = optionsFrom(options, ["name", "test"], "scriptedModel()");
  if (typeof name !== "string" || name === "") throw new StepweaveError("validation", `the name of a scripted model is ${kindOf(name)}, not a text`, { hint: "leave it out, or give it one" });
  if (!reading("the turns of scriptedModel()", () => Array.isArray(turns))) {
    throw new StepweaveError("validation", "scriptedModel() needs a list of turns", { hint: 'write scriptedModel(["Hello", "Goodbye"])' });
  }
  const script = new Script(name, reading("the turns of scriptedModel()", () => [...turns]));
  if (test !== undefined) reading("the option `test` of scriptedModel()", () => callAtEnd(test, () => script.done()));
  return madeOf((request, context) => answer(script, request, context), script);
}

/** What a script answers next. */
let answer: (script: Script, request: ModelRequest, context: ModelContext) => Promise<Awaited<ModelAnswer>>;

/** What it has besides a model's own properties is on its prototype: a model is data, of which documents are made. */
class Script implements ScriptedModel {
  static {
    answer = async (script, request, context) => {
      const turn = script.#turns[script.#requests.push(request) - 1];
      if (turn === undefined) throw script.#tooMany(request);
      return answerOf(typeof turn === "function" ? await turn(request, context) : turn);
    };
  }

  readonly provider = "custom";
  readonly model: string;
  readonly #turns: readonly ScriptedTurn[];
  readonly #requests: ModelRequest[] = [];

  constructor(name: string, turns: readonly ScriptedTurn[]) {
    this.model = name;
    this.#turns = turns;
  }

  get requests(): readonly ModelRequest[] {
    return this.#requests;
  }

  done(): void {
    const { length } = this.#requests;
    const tooMany = this.#requests[this.#turns.length];
    if (tooMany !== undefined) throw this.#tooMany(tooMany);
    if (length === this.#turns.length) return;
    const left = this.#turns.slice(length).map((turn, at) => `\n  turn ${length + at + 1}: ${reading("a turn", () => shownTurn(turn))}`);
    const used = length === 0 ? "was not asked at all" : `was asked for ${counted(length)}`;
    throw new StepweaveError("model", `the model \`${this.model}\` has ${counted(this.#turns.length)} and ${used}; not used:${left.join("")}`, {
      hint: "look for what ended early, or take the turns out; model.requests has what it was asked",
    });
  }

  [Symbol.dispose](): void {
    this.done();
  }

  #tooMany(request: ModelRequest): StepweaveError {
    const { length } = this.#turns;
    return new StepweaveError("model", `the model \`${this.model}\` has ${counted(length)}, and was asked for turn ${length + 1}: ${shownRequest(request)}`, {
      hint: "add a turn, or look for why it is asked once more; model.requests has all that it was asked",
    });
  }
}

function answerOf(turn: ScriptedPart | readonly ScriptedPart[] | Awaited<ModelAnswer>): Awaited<ModelAnswer> {
  if (turn instanceof Error) throw turn;
  if (Array.isArray(turn)) return upToError(turn as readonly ScriptedPart[]);
  return typeof turn === "object" && turn !== null && "type" in turn ? [turn] : (turn as Awaited<ModelAnswer>);
}

function* upToError(parts: readonly ScriptedPart[]): Generator<ModelPart | string> {
  for (const part of parts) {
    if (part instanceof Error) throw part;
    yield part;
  }
}

function callAtEnd(test: TestContext, done: () => void): void {
  const { after, onTestFinished } = Object(test) as { [name: string]: unknown };
  if (typeof after === "function") after.call(test, done);
  else if (typeof onTestFinished === "function") onTestFinished.call(test, done);
  else {
    throw new StepweaveError("validation", "the option `test` of scriptedModel() is no test's context", {
      hint: "pass what the test's function is given, or call model.done() at the test's end",
    });
  }
}

function counted(turns: number): string {
  return turns === 1 ? "1 turn" : `${turns} turns`;
}
