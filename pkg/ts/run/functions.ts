import type { Json } from "../api/document.js";
import type { Handlers } from "../api/functions.js";
import type { StandardSchema } from "../api/schema.js";

/** A function of the user, whatever its kind. */
export type StepFunction = Handlers[string];

/** What code gives a document to call, and what of it the document may reach from where. */
export interface Functions {
  /** By names that a document may write wherever it names a function. */
  readonly handlers: Handlers;
  /** Models, by names that only a document's custom models may write. */
  readonly models: Handlers;
  /** Functions that belong to one path of the document, such as `tools.search`: they are called from there, and from nowhere else. */
  readonly placed: ReadonlyMap<string, PlacedFunction>;
  /** JSON Schemas of code, by the paths of those that a document may have: they apply beside these. */
  readonly schemas: ReadonlyMap<string, Json>;
}

/** A function and its path. */
export interface PlacedFunction {
  /** The name that the document shows. */
  readonly name: string;
  readonly call: StepFunction;
  /** What checks the arguments, for a tool whose document has the JSON Schema that a library derives of its own. */
  readonly input?: StandardSchema | undefined;
  /** What the tool of code has for its arguments, whatever the document says of them. */
  readonly own?: StandardSchema | undefined;
}

/** Functions that a document may name anywhere, and nothing else. */
export function openTo(handlers: Handlers): Functions {
  return { handlers, models: {}, placed: new Map(), schemas: new Map() };
}

/** The function that a document means which names it there; nothing where it reaches none. */
export function functionAt(functions: Functions, path: string, name: string): StepFunction | undefined {
  const place = path.replace(/^(tools\.[^.]*)\.run$/, "$1");
  return functions.placed.get(place)?.call ?? (isOfModel(path) ? own(functions.models, name) : undefined) ?? own(functions.handlers, name);
}

/** Every function by its name, to be passed on with the document. */
export function byName({ handlers, models, placed }: Functions): Handlers {
  return { ...Object.fromEntries([...placed.values()].map(({ name, call }) => [name, call])), ...models, ...handlers };
}

/** Whether a function is named by a model. */
export function isOfModel(path: string): boolean {
  return path.startsWith("models.");
}

function own(functions: Handlers, name: string): StepFunction | undefined {
  const found = Object.hasOwn(functions, name) ? functions[name] : undefined;
  return typeof found === "function" ? found : undefined;
}
