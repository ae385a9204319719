import type { StepDocument, WorkflowDocument } from "../api/document.js";
import { keyText, objectType, typeOfSchema, typeOfValue, union } from "./type-text.js";

/** The type of the state that a run ends with. A key has the types of all that may write it; what cannot be known is `unknown`. */
export function resultType(document: WorkflowDocument): string {
  if (document.output !== undefined) return typeOfSchema(document.output);
  const { initialState = {}, input, steps } = document;
  const known = new Map<string, string[]>();
  const add = (key: string, type: string): void => void known.set(key, [...(known.get(key) ?? []), type]);
  const { properties: given = {}, required = [] } = Object(input) as { properties?: Readonly<Record<string, unknown>>; required?: readonly string[] };
  for (const [key, value] of Object.entries(initialState)) add(key, typeOfValue(value));
  for (const key of new Set([...Object.keys(given), ...required])) add(key, Object.hasOwn(given, key) ? typeOfSchema(given[key], input) : "unknown");
  const first = [...known.keys()];
  for (const step of stepsOver(steps)) {
    // A function of the program works on the keys that are there, and says nowhere what becomes of them.
    if (step.type === "function" && !("set" in step.run)) for (const key of first) add(key, "unknown");
    for (const [key, type] of writtenBy(step, document)) add(key, type);
  }
  // A step may be left out, or fail: only what is there from the beginning, or must be given, is there at the end.
  const isThere = (key: string): boolean => Object.hasOwn(initialState, key) || required.includes(key);
  const members = [...known].map(([key, types]) => `${keyText(key)}${isThere(key) ? "" : "?"}: ${union(types)}`);
  return `${objectType(members)} & Record<string, unknown>`;
}

/** The keys that a step may write by itself, with their types. */
function writtenBy(step: StepDocument, document: WorkflowDocument): readonly (readonly [key: string, type: string])[] {
  const set = step.type === "workflow" ? step.set : step.type === "function" && "set" in step.run ? step.run.set : undefined;
  if (set !== undefined) return Object.keys(set).map((key) => [key, "unknown"]);
  const type = outputType(step, document);
  const messages: [string, string][] = step.type === "agent" && step.history !== undefined ? [[step.history.key, "unknown[]"]] : [];
  return type === undefined ? messages : [[`${step.name}_output`, type], ...messages];
}

function outputType(step: StepDocument, { agents = {} }: WorkflowDocument): string | undefined {
  switch (step.type) {
    case "approval": {
      const schema = step.output ?? step.schema;
      const answer = schema === undefined || isHandler(schema) ? "unknown" : typeOfSchema(schema);
      // An answer that came too late is none.
      return step.expired === undefined ? answer : union([answer, "null"]);
    }
    case "agent": {
      if (step.output !== undefined) return typeOfSchema(step.output);
      if (step.fullResponse === true) return "unknown";
      const output = agents[step.agent]?.output;
      if (output === undefined) return "string";
      return isHandler(output) ? typeOfSchema(output.schema) : typeOfSchema(output);
    }
    case "http":
      return typeOfSchema(step.output);
    case "foreach":
    case "workflow":
      return "unknown";
    default:
      return undefined;
  }
}

function isHandler(value: unknown): value is { handler: string; schema?: unknown } {
  return typeof value === "object" && value !== null && typeof (value as { handler?: unknown }).handler === "string";
}

/** The steps that share the workflow's state: those of a foreach and of a workflow have one of their own. */
function* stepsOver(steps: readonly StepDocument[]): Generator<StepDocument> {
  for (const step of steps) {
    yield step;
    switch (step.type) {
      case "condition":
        yield* stepsOver([...step.steps, ...(step.else ?? [])]);
        break;
      case "switch":
        yield* stepsOver([...step.cases.flatMap(({ steps }) => steps), ...step.default]);
        break;
      case "parallel":
        yield* stepsOver(step.parallel);
        break;
      case "sequence":
      case "loop":
        yield* stepsOver(step.steps);
        break;
      case "approval":
        yield* stepsOver([...(step.steps ?? []), ...(step.else ?? []), ...(step.expired ?? [])]);
        break;
    }
  }
}
