// A document while it is made, with what became of each node.
import type { AgentDocument, Json, ModelDocument, Provider, StepDocument, ToolDocument, WorkflowDocument } from "stepweave";
import { HELD_KEYS, type Became } from "./report";
import { saysLost } from "./clear";
import { failing, readByKey, wanted } from "./placeholder";
import { quoted, slug, Taken } from "./text";

/** Any kind of step, without the id and the name, which the draft gives. */
export type StepBody = StepDocument extends infer S ? (S extends StepDocument ? Omit<S, "id" | "name"> : never) : never;

export class Draft {
  readonly models: Record<string, ModelDocument> = {};
  readonly agents: Record<string, AgentDocument> = {};
  readonly tools: Record<string, ToolDocument> = {};
  readonly state: Record<string, Json> = {};
  readonly inputs: Record<string, Json> = {};
  readonly required: string[] = [];
  readonly notes: string[] = [];
  readonly #became = new Map<string, { -readonly [K in keyof Became]: Became[K] } & { notes: string[] }>();
  /** What was remarked on each node, since one remark may be made many times. */
  readonly #remarks = new Map<string, Set<string>>();
  readonly #placeholders = new Set<string>();
  readonly #names = new Taken();
  readonly #keys = new Taken();
  readonly #constants = new Taken();
  readonly #modelKeys = new Map<string, string>();
  readonly #constantKeys = new Map<string, string>();
  readonly #required = new Set<string>();
  #count = 0;

  /** A name for a step, which no other has. */
  nameOf(name: string): string {
    return this.#names.unique(name.replace(/\s+/g, " ").trim().slice(0, 120) || "Step", " ");
  }

  /** A step. Its name comes from `nameOf`. */
  step(name: string, body: StepBody): StepDocument {
    this.#count += 1;
    return { id: `s${this.#count}`, name, ...body } as StepDocument;
  }

  /** What became of a node; the file's own name for it tells it apart. */
  became(id: string, node: { name: string; kind: string }, became: string, state: Became["state"], step?: StepDocument): void {
    const before = this.#became.get(id);
    const notes = before?.notes ?? [];
    this.#became.set(id, { name: node.name, kind: node.kind, became, state: state === "whole" && notes.length > 0 ? "part" : state, notes, ...(step && { step: step.id }) });
  }

  /** Something of a node that a person has to look at. */
  remark(id: string, note: string): void {
    const node = this.#became.get(id);
    const known = this.#remarks.get(id) ?? new Set();
    if (known.has(note)) return;
    this.#remarks.set(id, known.add(note));
    if (node === undefined) {
      this.#became.set(id, { name: "", kind: "", became: "", state: "part", notes: [note] });
    } else {
      node.notes.push(note);
      if (node.state === "whole") node.state = "part";
    }
  }

  /** The fields of a node that lost a key. */
  leftBehind(id: string, fields: readonly string[]): void {
    if (fields.length === 0) return;
    this.remark(id, saysLost(fields));
    this.heldKeys();
  }

  /** Says that the file had keys in it. */
  heldKeys(): void {
    if (!this.notes.includes(HELD_KEYS)) this.notes.push(HELD_KEYS);
  }

  /** Of every node what became of it, in the order of the file. */
  report(): Became[] {
    return [...this.#became.values()];
  }

  has(id: string): boolean {
    return (this.#became.get(id)?.became ?? "") !== "";
  }

  /** A step in the place of what cannot be taken over: it fails, and says what it stood for and what is read of it. */
  placeholder(name: string, kind: string, what: string): StepDocument {
    this.#placeholders.add(name);
    const says = `“${name}” was a ${kind} node, which an import cannot carry over. ${what} ${wanted(name)}`;
    return this.step(name, { type: "function", run: failing(says), notes: says });
  }

  /** The key of a model; two nodes with the same settings share one. */
  model(settings: ModelDocument): string {
    const text = JSON.stringify(settings);
    const known = this.#modelKeys.get(text);
    if (known !== undefined) return known;
    const id = this.#keys.unique(slug(settings.model, "model"), "_");
    this.models[id] = settings;
    this.#modelKeys.set(text, id);
    return id;
  }

  /** A text as an expression: a long one is a key of the state, since expressions are short. */
  constant(text: string, most = 400): string {
    if (text.length <= most) return quoted(text);
    const id = this.#constantKeys.get(text) ?? this.#constants.unique("text_1", "_");
    this.#constantKeys.set(text, id);
    this.state[id] = text;
    return id;
  }

  agent(name: string, settings: AgentDocument): string {
    const id = this.#keys.unique(slug(name, "agent"), "_");
    this.agents[id] = settings;
    return id;
  }

  tool(name: string, settings: ToolDocument): string {
    const id = this.#keys.unique(slug(name, "tool"), "_");
    this.tools[id] = settings;
    return id;
  }

  /** A key that a run is given. */
  input(name: string, schema: Json, required: boolean): void {
    this.inputs[name] = schema;
    if (!required || this.#required.has(name)) return;
    this.#required.add(name);
    this.required.push(name);
  }

  /** What a person has to look at stays with the step, after the list of it is closed. */
  #annotate(steps: readonly StepDocument[]): void {
    const notes = new Map([...this.#became.values()].flatMap(({ step, notes }) => (step !== undefined && notes.length > 0 ? [[step, notes.join("\n")] as const] : [])));
    const open: unknown[] = [...steps];
    while (open.length > 0) {
      const next = open.pop();
      if (Array.isArray(next)) open.push(...(next as unknown[]));
      else if (typeof next === "object" && next !== null) {
        const step = next as { id?: string; type?: string; notes?: string; [field: string]: unknown };
        const note = step.type !== undefined && step.id !== undefined ? notes.get(step.id) : undefined;
        if (note !== undefined) step.notes = step.notes === undefined ? note : `${step.notes}\n${note}`;
        for (const field of ["steps", "else", "cases", "default", "parallel", "expired"]) open.push(step[field]);
      }
    }
  }

  document(name: string, description: string, steps: StepDocument[]): WorkflowDocument {
    const filled = <T extends object>(object: T): T | undefined => (Object.keys(object).length > 0 ? object : undefined);
    const whole: Record<string, unknown> = { version: 1, name: name.trim() || "Imported workflow" };
    if (description.trim() !== "") whole["description"] = description.trim();
    if (filled(this.inputs)) whole["input"] = { type: "object", properties: this.inputs, ...(this.required.length > 0 && { required: this.required }) };
    for (const part of ["models", "agents", "tools"] as const) if (filled(this[part])) whole[part] = this[part];
    if (filled(this.state)) whole["initialState"] = this.state;
    this.#annotate(steps);
    whole["steps"] = steps;
    return readByKey(whole, this.#placeholders) as unknown as WorkflowDocument;
  }
}

/** What our documents call the provider that a file names, and whether it has to be chosen again. */
export function modelOf(provider: string, model: string, params: Record<string, Json>): { settings: ModelDocument; known: boolean } {
  const found = PROVIDERS.find(([pattern]) => pattern.test(provider));
  const own = Object.keys(params).length > 0 ? { params } : {};
  if (found === undefined || model === "") return { settings: { provider: "demo", model: "demo", ...own }, known: false };
  const [, name, secret, baseUrl] = found;
  return { settings: { provider: name, model, ...(baseUrl && { baseUrl }), ...(secret && { apiKey: { secret } }), ...own }, known: true };
}

/** What files call providers, what they are here, the name of the key, and where those are that have no name here. */
const PROVIDERS: readonly (readonly [RegExp, Provider, string?, string?])[] = [
  [/siliconflow/i, "openai", "SILICONFLOW_API_KEY", "https://api.siliconflow.cn/v1"],
  [/tongyi|dashscope/i, "openai", "DASHSCOPE_API_KEY", "https://dashscope.aliyuncs.com/compatible-mode/v1"],
  [/moonshot/i, "openai", "MOONSHOT_API_KEY", "https://api.moonshot.cn/v1"],
  [/zhipu/i, "openai", "ZHIPU_API_KEY", "https://open.bigmodel.cn/api/paas/v4"],
  [/modelscope/i, "openai", "MODELSCOPE_API_KEY", "https://api-inference.modelscope.cn/v1"],
  [/open_?router/i, "openrouter", "OPENROUTER_API_KEY"],
  [/anthropic|claude/i, "anthropic", "ANTHROPIC_API_KEY"],
  [/gemini|google(?!.*vertex)/i, "gemini", "GEMINI_API_KEY"],
  [/groq/i, "groq", "GROQ_API_KEY"],
  [/mistral/i, "mistral", "MISTRAL_API_KEY"],
  [/deep_?seek/i, "deepseek", "DEEPSEEK_API_KEY"],
  [/grok|x-?ai/i, "xai", "XAI_API_KEY"],
  [/together/i, "together", "TOGETHER_API_KEY"],
  [/ollama/i, "ollama"],
  [/^(?!.*azure)(?!.*compatible).*open_?ai/i, "openai", "OPENAI_API_KEY"],
];
