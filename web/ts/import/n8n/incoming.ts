// What comes in at a node of n8n: what the nodes before it gave, on whichever way the flow came.
import { leadingBack, type Edge } from "../arrange";
import { mayLook } from "../javascript";
import { addTo } from "../text";
import { givesItems, splitField } from "./lists";
import { chosenInput } from "./merge";
import { rangesOf } from "./ranges";
import { isTrigger, kindOf, type Source } from "./source";

/** What comes in at a node, as an expression of ours. */
export interface Given {
  readonly root: string;
  /** The whole state, where a trigger brings it; an item of a loop, or the list of what its rounds gave; what steps gave. */
  readonly kind: "state" | "item" | "list" | "value";
  /** The nodes whose steps gave it. */
  readonly sources: readonly Source[];
  /** Nodes of which several may have run, so that only the first of them is read. */
  readonly mixed: readonly string[];
  /** The name under which n8n gives an item that is no object. */
  readonly field?: string;
  /** What comes in where none of the steps ran, by another way: what a trigger brings, or the item of a loop. */
  readonly otherwise?: Given;
}

/** What a trigger brings. */
export const BROUGHT: Given = { root: "state", kind: "state", sources: [], mixed: [] };

/** What hands on what it was given. */
const PASSING = new Set(["if", "switch", "filter", "noOp", "wait", "limit", "respondToWebhook", "sort", "removeDuplicates", "splitInBatches", "merge", "textClassifier"]);

/** What takes one of its ways, so that what stands on two of them never runs in one run. */
export const CHOOSING = new Set(["if", "switch", "filter", "textClassifier", "sentimentAnalysis"]);

export function isPassing(source: Source): boolean {
  return source.disabled || (PASSING.has(kindOf(source)) && !givesItems(source));
}

/** The port of a loop at which its steps hang. */
export function bodyPort(source: Source): string {
  return source.version < 3 ? "0" : "1";
}

/** Nodes, each with its ports through which a flow comes. */
type Ways = ReadonlyMap<string, ReadonlySet<string>>;

/** A node before another one, and the ways to it and from it. */
interface Before extends Pick<Given, "root" | "kind"> {
  readonly source: Source;
  readonly ways: readonly Ways[];
}

/** Of more nodes than these, none is known to be the one that ran: the expression would be longer than anybody reads. */
const MOST_BEFORE = 8;

/** Nodes that are looked at for one that hands on; more stand behind each other in no file. */
const MOST_WALKED = 200;

export class Incoming {
  readonly #sources: ReadonlyMap<string, Source>;
  readonly #rootOf: (source: Source) => string;
  readonly #before = new Map<string, Edge[]>();
  readonly #known = new Map<string, Given | undefined>();
  readonly #ways = new Map<string, Map<string, Set<string>>>();
  /** What runs for each of the many items that a node makes. */
  readonly ranges: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #loops: readonly Source[];

  constructor(sources: ReadonlyMap<string, Source>, edges: readonly Edge[], rootOf: (source: Source) => string) {
    this.#sources = sources;
    this.#rootOf = rootOf;
    this.ranges = rangesOf(sources, edges);
    this.#loops = [...sources.values()].filter((source) => this.isLoop(source));
    const out = new Map<string, Edge[]>();
    for (const edge of edges) addTo(out, edge.from, edge);
    const inOrder = [...sources.values()].sort((one, other) => Number(isTrigger(other)) - Number(isTrigger(one)));
    const back = leadingBack(inOrder.map(({ name }) => name), out);
    for (const edge of edges) if (!back.has(edge)) addTo(this.#before, edge.to, edge);
  }

  /** What comes in at a node; undefined where we have no name for it. */
  at(name: string): Given | undefined {
    if (!this.#known.has(name)) this.#known.set(name, this.#given(name));
    return this.#known.get(name);
  }

  /** Whether a node has steps that run once for each item. */
  isLoop(source: Source): boolean {
    return !source.disabled && (kindOf(source) === "splitInBatches" || this.ranges.has(source.name));
  }

  /** Whether a node stands among the steps of a loop. */
  isInside(name: string, loop: Source): boolean {
    const range = this.ranges.get(loop.name);
    if (range !== undefined) return range.has(name);
    const ports = this.#waysTo(name).get(loop.name);
    return ports?.size === 1 && ports.has(bodyPort(loop));
  }

  /** What the item of a loop is called: one within another has a name of its own. */
  itemOf(loop: Source): string {
    const depth = this.#loops.filter((source) => source !== loop && this.isInside(loop.name, source)).length;
    return depth === 0 ? "item" : `item_${depth + 1}`;
  }

  /** The item of a loop, as what comes in at its steps. */
  itemIn(loop: Source): Given {
    const from = this.ranges.has(loop.name) ? [loop] : (this.at(loop.name)?.sources ?? []);
    const field = from.length === 1 && from[0] !== undefined ? splitField(from[0])?.name : undefined;
    return { root: this.itemOf(loop), kind: "item", sources: [], mixed: [], ...(field !== undefined && { field }) };
  }

  /** The loop around a node that fits. */
  loopAround(name: string, fits: (loop: Source) => boolean): Source | undefined {
    return mayLook(1 + this.#loops.length / 20) ? this.#loops.find((loop) => this.isInside(name, loop) && fits(loop)) : undefined;
  }

  /** Whether nothing of what a node gives leaves a loop to get to a reader. */
  isShut(name: string, reader: string): boolean {
    return mayLook(1 + this.#loops.length / 20) && this.#loops.some((source) => source.name !== reader && this.isInside(name, source) && !this.isInside(reader, source));
  }

  /** The node for each of whose items another one runs, the outermost of those within a range. */
  around(name: string, within: ReadonlySet<string> | undefined): Source | undefined {
    return this.#outermost(([source, range]) => range.has(name) && within?.has(source) === true);
  }

  /** The node whose items a flow leaves between two nodes. */
  #left(from: string, to: string): Source | undefined {
    return this.#outermost(([, range]) => range.has(from) && !range.has(to));
  }

  #outermost(fits: (range: readonly [string, ReadonlySet<string>]) => boolean): Source | undefined {
    const [first] = [...this.ranges].filter(fits).sort(([, one], [, other]) => other.size - one.size);
    return first && this.#sources.get(first[0]);
  }

  #given(name: string): Given | undefined {
    const found = this.#walked(name);
    if (found === undefined || found.length > MOST_BEFORE) return undefined;
    const [first, ...others] = found;
    if (first === undefined) return BROUGHT;
    const sources = (): Source[] => found.filter(({ kind }) => kind === "value" || kind === "list").map(({ source }) => source);
    if (others.length === 0 && first.kind === "item") return this.itemIn(first.source);
    if (others.length === 0) return { root: first.root, kind: first.kind, sources: sources(), mixed: [] };
    // What stands later comes first: what was there before it is always there. The state and an item always are.
    const rank = ({ kind, source }: Before): number => (kind === "value" || kind === "list" ? this.#waysTo(source.name).size : -1);
    found.sort((one, other) => rank(other) - rank(one));
    const [one = "", ...rest] = found.map(({ root }) => root);
    const apart = found.every((before, index) => found.slice(index + 1).every((other) => excludes(before, other, this.#sources)));
    const last = found.at(-1);
    const otherwise = last?.kind === "state" ? BROUGHT : last?.kind === "item" ? this.itemIn(last.source) : undefined;
    return { ...(otherwise && { otherwise }), root: [one, ...rest.map((root) => `default(${root})`)].join(" | "), kind: found.some(({ kind }) => kind === "list") ? "list" : "value", sources: sources(), mixed: apart ? [] : found.map(({ source }) => source.name) };
  }

  /** What gave what comes in, through the nodes that hand it on; undefined where one of them hands on its failure. */
  #walked(name: string): Before[] | undefined {
    const found = new Map<string, Before>();
    const seen = new Set([name]);
    const open: { name: string; ports: Ways }[] = [{ name, ports: new Map() }];
    for (let here = open.pop(); here !== undefined && seen.size < MOST_WALKED && found.size <= MOST_BEFORE; here = open.pop()) {
      const reader = this.#sources.get(here.name);
      const chosen = reader && chosenInput(reader);
      for (const { from, port, input } of this.#before.get(here.name) ?? []) {
        if (chosen !== undefined && input !== chosen) continue;
        const source = this.#sources.get(from);
        if (source === undefined) continue;
        const ports = new Map([...here.ports, [from, new Set([port])]]);
        const left = this.#left(from, here.name);
        const add = (kind: Given["kind"], root: string): unknown => found.has(root) || found.set(root, { kind, root, source: left ?? source, ways: [ports, this.#waysTo(from)] });
        if (left !== undefined) add("list", this.#rootOf(left));
        else if (isTrigger(source)) add("state", "state");
        else if (failsAt(source, port)) return undefined;
        else if (this.isLoop(source)) this.ranges.has(from) || port === bodyPort(source) ? add("item", this.itemOf(source)) : add("list", this.#rootOf(source));
        else if (!isPassing(source)) add("value", this.#rootOf(source));
        else if (!seen.has(from)) {
          seen.add(from);
          open.push({ name: from, ports });
        }
      }
    }
    return [...found.values()];
  }

  /** The nodes from which a flow comes to this one, each with the ports through which it does. */
  #waysTo(name: string): Map<string, Set<string>> {
    const known = this.#ways.get(name);
    if (known) return known;
    const ways = new Map<string, Set<string>>();
    const seen = new Set([name]);
    const open = [name];
    for (let here = open.pop(); here !== undefined; here = open.pop()) {
      const before = this.#before.get(here) ?? [];
      if (!mayLook(before.length)) break;
      for (const { from, port } of before) {
        ways.set(from, (ways.get(from) ?? new Set()).add(port));
        if (!seen.has(from)) open.push(from);
        seen.add(from);
      }
    }
    this.#ways.set(name, ways);
    return ways;
  }
}

/** Whether a port hands on why its node failed. */
function failsAt(source: Source, port: string): boolean {
  return source.onError === "continueErrorOutput" && port === "1" && !CHOOSING.has(kindOf(source));
}

/** Whether what gave one and what gave the other hang on different ways of one choice. */
function excludes(one: Before, other: Before, sources: ReadonlyMap<string, Source>): boolean {
  return one.ways.some((ways) => mayLook(ways.size) && [...ways.keys()].some((name) => chooses(sources.get(name)) && areApart(portsOf(one, name), portsOf(other, name))));
}

function chooses(source: Source | undefined): boolean {
  return source !== undefined && (CHOOSING.has(kindOf(source)) || source.onError === "continueErrorOutput");
}

function portsOf({ ways }: Before, name: string): string[] {
  return ways.flatMap((each) => [...(each.get(name) ?? [])]);
}

function areApart(ports: readonly string[], others: readonly string[]): boolean {
  return others.length > 0 && !ports.some((port) => others.includes(port));
}
