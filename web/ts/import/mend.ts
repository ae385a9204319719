// A step that the validator refuses becomes a placeholder, so that one node does not keep a whole file out.
import type { WorkflowDocument } from "stepweave";
import { isData, list, text, type Data } from "./data";
import { failing, readByKey, wanted } from "./placeholder";
import type { Became, Report } from "./report";

/** A document, and what became of the file that it was made of. */
export interface Made {
  readonly document: WorkflowDocument;
  readonly report: Report;
}

/** Says what is wrong with a document, as the engine does. */
export type Check = (document: string) => Promise<readonly object[]>;

interface Fault {
  readonly path: string;
  readonly code: string;
  readonly message: string;
  readonly severity: string;
}

/** Each round finds what the faults before it hid; a file that needs more of them has something else wrong with it. */
const MOST_ROUNDS = 20;

/** What a person mends in the form of the step, which the page shows all the same. */
const SHOWN = new Set(["template_syntax", "expression_syntax", "schema"]);

/** The document with placeholders for what is refused; as it was where that does not help. */
export async function mended(made: Made, check: Check): Promise<Made> {
  const mending = new Mending(structuredClone(made));
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const faults = (await check(JSON.stringify(mending.document))) as readonly Fault[];
    const refused = faults.filter(({ severity, code }) => severity === "error" && !SHOWN.has(code));
    if (refused.length === 0) return round === 0 ? made : mending.made();
    if (!mending.mend(refused)) return made;
  }
  return made;
}

/** A step, the list that it stands in, and how deep. */
interface Found {
  readonly steps: unknown[];
  readonly step: Data;
  readonly depth: number;
}

class Mending {
  readonly document: WorkflowDocument;
  readonly #nodes: Became[];
  readonly #notes: string[];
  readonly #report: Report;
  /** What is a placeholder already: another one would be refused as well. */
  readonly #done = new Set<unknown>();
  /** The names of those that had an output. */
  readonly #read = new Set<string>();

  constructor({ document, report }: Made) {
    this.document = document;
    this.#report = report;
    this.#nodes = [...report.nodes];
    this.#notes = [...report.notes];
  }

  made(): Made {
    return { document: readByKey(this.document, this.#read), report: { ...this.#report, nodes: this.#nodes, notes: this.#notes } };
  }

  /** Puts placeholders where the faults are, and leaves out settings; false: there is nothing to replace, or each is one already. */
  mend(faults: readonly Fault[]): boolean {
    const at = faults.map(({ path, message }) => ({ segments: segmentsOf(path), message }));
    const tools = at.filter(({ segments }) => segments[0] === "tools").map(({ segments, message }) => this.#tool(String(segments[1]), message));
    const steps = at.flatMap(({ segments, message }) => this.#find(segments).map((found) => ({ ...found, message })));
    // All are found before any is replaced, which moves others; what lies in another one goes first, and along with it.
    steps.sort((one, other) => other.depth - one.depth);
    const settings = at.map(({ segments, message }) => this.#setting(segments, message));
    return [...tools, ...steps.map((found) => this.#step(found)), ...settings].includes(true);
  }

  /** Leaves out the part of an agent, of a model, of the input or of the initial state that is refused. */
  #setting(segments: readonly (string | number)[], message: string): boolean {
    const depth = DEPTHS.get(segments[0] === "input" && segments[1] === "properties" ? "input.properties" : segments[0]);
    const key = depth === undefined ? undefined : segments[depth];
    const holder = segments.slice(0, depth).reduce<unknown>((here, segment) => (isData(here) && Object.hasOwn(here, segment) ? here[String(segment)] : undefined), this.document);
    if (key === undefined || !isData(holder) || !Object.hasOwn(holder, key)) return false;
    Reflect.deleteProperty(holder, key);
    this.#notes.push(`“${segments.slice(0, (depth ?? 0) + 1).join(".")}” cannot be taken over: ${message}. It was left out.`);
    return true;
  }

  #tool(id: string, message: string): boolean {
    const tool = this.document.tools?.[id];
    if (tool === undefined || this.#done.has(id)) return false;
    this.#done.add(id);
    const what = `The tool “${id}” cannot be taken over as it is: ${message}. Give it a request, code or a workflow.`;
    Object.assign(this.document.tools ?? {}, { [id]: { description: tool.description ?? id, run: failing(what) } });
    this.#notes.push(what);
    return true;
  }

  #step({ steps, step, message }: Found & { message: string }): boolean {
    const [id, name] = [text(step["id"]), text(step["name"])];
    if (this.#done.has(id)) return false;
    this.#done.add(id);
    const at = this.#nodes.findIndex((node) => node.step === id);
    const node = this.#nodes[at];
    const inner = [...inside(step)];
    const behind = inner.length > 0 ? " The steps in it stand behind it, switched off." : "";
    const gave = OUTPUT.has(text(step["type"])) ? ` ${wanted(name)}` : "";
    if (gave !== "") this.#read.add(name);
    const why = `It cannot be taken over as it is: ${message}.${behind}${gave}`;
    const says = `“${name}” was a ${node?.kind ?? text(step["type"])} node. ${why}`;
    const placeholder = { id, name, type: "function", run: failing(says), notes: [text(step["notes"]), says].filter(Boolean).join("\n"), ...(step["onError"] !== undefined && { onError: step["onError"] }), ...(step["enabled"] === false && { enabled: false }) };
    steps.splice(steps.indexOf(step), 1, placeholder, ...inner.map((each) => Object.assign(each, { enabled: false })));
    if (node) this.#nodes[at] = { ...node, became: "a placeholder, which fails until you say what it does", state: "placeholder", notes: [...node.notes, why] };
    else this.#notes.push(says);
    return true;
  }

  /** The innermost step on a path. */
  #find(segments: readonly (string | number)[]): Found[] {
    let found: Found[] = [];
    let here: unknown = this.document;
    for (const [depth, segment] of segments.entries()) {
      if (typeof segment === "string") {
        if (!isData(here) || !INSIDE.includes(segment)) break;
        here = here[segment];
      } else {
        if (!Array.isArray(here)) break;
        const steps = here as unknown[];
        here = steps[segment];
        if (isData(here) && typeof here["type"] === "string") found = [{ steps, step: here, depth }];
      }
    }
    return found;
  }
}

/** How deep below each of these stands what can be left out by itself. */
const DEPTHS = new Map<string | number | undefined, number>([
  ["agents", 2],
  ["models", 2],
  ["input.properties", 2],
  ["input", 1],
  ["initialState", 1],
]);

/** The steps that have an output of their own. */
const OUTPUT = new Set(["agent", "http", "foreach", "approval"]);

/** Where steps hold others. */
const INSIDE = ["steps", "else", "cases", "default", "parallel", "expired"];

/** The steps that a step holds itself. */
function inside(step: Data): Data[] {
  const held = INSIDE.flatMap((field) => list(step[field])).filter(isData);
  return held.flatMap((each) => (typeof each["type"] === "string" ? [each] : inside(each)));
}

/** `steps[2].cases[0].steps`, and `tools["a name"]`, in their names and numbers. */
function segmentsOf(path: string): (string | number)[] {
  return [...path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g)].map(([, index, quoted, plain]) => (index !== undefined ? Number(index) : quoted !== undefined ? (JSON.parse(quoted) as string) : (plain ?? "")));
}
