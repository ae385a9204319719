// A graph as a tree: what stands behind each other, what runs at the same time, what is decided, and what is repeated.
import type { StepDocument } from "stepweave";
import type { Draft } from "./draft";
import { Unreadable } from "./report";
import { addTo } from "./text";

type Steps = StepDocument[];

/** What a node is in a tree. */
export type Shape =
  /** It is done, then what follows. */
  | { readonly kind: "steps"; readonly steps: Steps }
  /** One of its ports is taken; those of `steps` are in their order. */
  | { readonly kind: "choice"; readonly ports: readonly string[]; make(arms: Steps[]): Steps }
  /** What hangs on its port `body` is done for each item, of nodes `within` where those are named, then what follows. */
  | { readonly kind: "each"; readonly body: string; readonly strict: boolean; readonly within?: ReadonlySet<string>; make(inside: Steps): Steps };

export interface Node {
  readonly id: string;
  readonly name: string;
  readonly shape: Shape;
}

export interface Edge {
  readonly from: string;
  readonly port: string;
  readonly to: string;
  /** At which of several inputs it ends, where that matters. */
  readonly input?: number;
}

/** Where a flow stands. */
interface Around {
  /** What is done after this block, by every flow that reaches it. */
  readonly pending: ReadonlySet<string>;
  /** Nodes to which a flow leads back: the rounds around it. */
  readonly back: ReadonlySet<string>;
  /** What an end would end; undefined beside other flows, which it must not stop. */
  readonly scope: "run" | "item" | undefined;
}

export interface Arranged {
  readonly steps: Steps;
  /** Every edge, and why it is lost where it is. */
  readonly edges: readonly { readonly edge: Edge; readonly lost?: string }[];
  readonly notes: string[];
}

/** Every node stands in the tree exactly once, and every edge is listed. */
export function arrange(nodes: readonly Node[], edges: readonly Edge[], entries: readonly string[], draft: Draft): Arranged {
  return new Arrangement(nodes, edges, draft).whole(entries);
}

/** Documents nest 256 levels at most, and a block may stand in two of them. */
export const MOST_DEEP = 120;

/** How often nodes are looked at. Files of a thousand nodes need a hundredth of it. */
const MOST_LOOKS = 1_500_000;

class Arrangement {
  readonly #nodes: ReadonlyMap<string, Node>;
  readonly #edges: readonly Edge[];
  readonly #out = new Map<string, Edge[]>();
  readonly #lost = new Map<Edge, string>();
  readonly #kept = new Set<Edge>();
  readonly #placed = new Set<string>();
  readonly #notes = new Set<string>();
  readonly #draft: Draft;
  #depth = 0;
  #looked = 0;

  constructor(nodes: readonly Node[], edges: readonly Edge[], draft: Draft) {
    this.#nodes = new Map(nodes.map((node) => [node.id, node]));
    this.#edges = edges.filter(({ from, to }) => this.#nodes.has(from) && this.#nodes.has(to));
    this.#draft = draft;
    for (const edge of this.#edges) addTo(this.#out, edge.from, edge);
  }

  whole(entries: readonly string[]): Arranged {
    this.#cutCircles(entries);
    const all = this.#reach(entries, new Set(this.#nodes.keys()));
    const steps = this.#region(entries, all, { pending: new Set(), back: new Set(), scope: "run" });
    // Nothing is dropped: what no entry leads to stands at the end and is switched off.
    const isLed = new Set(this.#edges.flatMap((edge) => (all.has(edge.from) || this.#lost.has(edge) ? [] : edge.to)));
    const left = [...this.#nodes.values()].filter(({ id }) => !this.#placed.has(id)).sort((one, other) => Number(isLed.has(one.id)) - Number(isLed.has(other.id)));
    for (const { id, name } of left) {
      if (this.#placed.has(id)) continue;
      const scope = this.#reach([id], new Set([...this.#nodes.keys()].filter((other) => !this.#placed.has(other))));
      const inside = this.#region([id], scope, { pending: new Set(), back: new Set(), scope: undefined });
      if (inside.length === 0) continue;
      this.#notes.add(`Nothing leads to “${name}”: it stands at the end and is switched off.`);
      steps.push(...inside.map((step) => ({ ...step, enabled: false })));
    }
    const edges = this.#edges.map((edge) => {
      if (this.#kept.has(edge)) return { edge };
      return { edge, lost: this.#lost.get(edge) ?? `“${this.#name(edge.to)}” already stands elsewhere, and a step stands in a tree once` };
    });
    return { steps, edges, notes: [...this.#notes] };
  }

  #name(id: string): string {
    return this.#nodes.get(id)?.name ?? id;
  }

  /** Edges that lead back are no part of a tree, except those of a loop over items. */
  #cutCircles(entries: readonly string[]): void {
    for (const edge of leadingBack([...entries, ...this.#nodes.keys()], this.#out)) {
      const shape = this.#nodes.get(edge.to)?.shape;
      if (shape?.kind === "each" && shape.within === undefined) continue;
      this.#lost.set(edge, `it leads back to “${this.#name(edge.to)}”: wrap the steps between in a loop, with the condition to go on`);
    }
  }

  #reach(from: readonly string[], within: ReadonlySet<string>): Set<string> {
    const found = new Set<string>();
    const open = from.filter((id) => within.has(id));
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (found.has(id)) continue;
      found.add(id);
      if ((this.#looked += 1 + (this.#out.get(id)?.length ?? 0)) > MOST_LOOKS) throw new Unreadable("its connections are too entangled to be made a tree: split it, and import the parts");
      for (const edge of this.#out.get(id) ?? []) if (within.has(edge.to) && !this.#lost.has(edge)) open.push(edge.to);
    }
    return found;
  }

  /** Where the edges lead; those that leave the scope are kept if they reach what comes after it. */
  #follow(edges: readonly Edge[], scope: ReadonlySet<string>, around: Around): string[] {
    const heads: string[] = [];
    for (const edge of edges) {
      if (this.#lost.has(edge)) continue;
      if (scope.has(edge.to)) heads.push(edge.to);
      if (scope.has(edge.to) || around.pending.has(edge.to) || around.back.has(edge.to)) this.#kept.add(edge);
    }
    return [...new Set(heads)];
  }

  /** The nodes to which no other of them leads. */
  #first(heads: readonly string[], scope: ReadonlySet<string>): string[] {
    if (heads.length < 2) return [...heads];
    const later = new Set<string>();
    for (const head of heads) if (!later.has(head)) for (const id of this.#reach([head], scope)) if (id !== head) later.add(id);
    return heads.filter((head) => !later.has(head));
  }

  #region(entries: readonly string[], scope: Set<string>, around: Around): Steps {
    if (this.#depth >= MOST_DEEP) throw new Unreadable(`its branches nest more than ${MOST_DEEP} deep`);
    this.#depth += 1;
    try {
      return this.#block(entries, scope, around);
    } finally {
      this.#depth -= 1;
    }
  }

  #block(entries: readonly string[], scope: Set<string>, around: Around): Steps {
    const steps: Steps = [];
    let heads = entries.filter((id) => scope.has(id));
    while (heads.length > 0) {
      const first = this.#first(heads, scope);
      const [head] = first;
      if (head === undefined) break;
      if (first.length > 1) {
        const { made, after } = this.#beside(first, scope, around);
        steps.push(...made);
        heads = after;
        continue;
      }
      scope.delete(head);
      this.#placed.add(head);
      const shape = this.#nodes.get(head)?.shape;
      const out = this.#out.get(head) ?? [];
      const rest = heads.filter((id) => id !== head);
      if (shape?.kind === "choice") {
        const { made, after } = this.#choose(shape, out, scope, around);
        steps.push(...made);
        heads = [...after, ...rest];
      } else if (shape?.kind === "each") {
        const { made, after } = this.#repeat(head, shape, out, scope, around);
        steps.push(...made);
        heads = [...this.#follow(after, scope, around), ...rest];
      } else {
        if (shape) steps.push(...shape.steps);
        heads = [...this.#follow(out, scope, around), ...rest];
      }
      heads = [...new Set(heads)].filter((id) => scope.has(id));
    }
    return steps;
  }

  /** Flows beside each other. What several of them reach is done after all of them. */
  #beside(heads: readonly string[], scope: Set<string>, around: Around): { made: Steps; after: string[] } {
    const reached = heads.map((head) => this.#reach([head], scope));
    const shared = sharedBy(reached);
    const inner: Around = { pending: new Set([...around.pending, ...shared]), back: around.back, scope: undefined };
    const arms = heads.map((head, index) => {
      const own = new Set([...(reached[index] ?? [])].filter((id) => !shared.has(id)));
      for (const id of own) scope.delete(id);
      return this.#region([head], own, inner);
    });
    const filled = arms.filter((arm) => arm.length > 0);
    const members = filled.map((arm) => this.#asOne(arm));
    const made = members.length > 1 ? [this.#draft.step(this.#draft.nameOf("At the same time"), { type: "parallel", parallel: members })] : filled.flat();
    return { made, after: this.#first([...shared], scope) };
  }

  #asOne(arm: Steps): StepDocument {
    const [only] = arm;
    if (arm.length === 1 && only) return only;
    return this.#draft.step(this.#draft.nameOf(only?.name ?? "Steps"), { type: "sequence", steps: arm });
  }

  /** One of several flows. What every one of them reaches that does not end is done after the choice. */
  #choose(shape: Shape & { kind: "choice" }, out: readonly Edge[], scope: Set<string>, around: Around): { made: Steps; after: string[] } {
    const ports = shape.ports.map((port) => out.filter((edge) => edge.port === port && !this.#lost.has(edge)));
    const reached = ports.map((edges) => this.#reach(edges.map(({ to }) => to), scope));
    const beyond = ports.map((edges, index) => this.#leaves(edges, reached[index] ?? new Set(), around.pending));
    const some = sharedBy(reached);
    const joining = reached.filter((ids) => [...ids].some((id) => some.has(id)));
    let rest = new Set([...some].filter((id) => joining.every((ids) => ids.has(id))));
    // A flow that passes the others by, to what comes later, would run into what they share.
    const passes = reached.some((ids, index) => !joining.includes(ids) && (beyond[index] || around.scope === undefined));
    if (passes) rest = new Set();
    const later = new Set([...around.pending, ...rest]);
    const arms = ports.map((edges, index) => {
      const ids = reached[index] ?? new Set<string>();
      const own = new Set([...ids].filter((id) => scope.has(id) && !rest.has(id)));
      for (const id of own) scope.delete(id);
      const arm = this.#region(this.#follow(edges, own, { ...around, pending: later }), own, { ...around, pending: later });
      const goesOn = beyond[index] || [...rest].some((id) => ids.has(id));
      if (!goesOn && later.size > 0) this.#end(arm, around.scope, later);
      return arm;
    });
    for (const edge of out) if (!shape.ports.includes(edge.port) && !this.#lost.has(edge)) this.#lost.set(edge, `“${this.#name(edge.from)}” has no such output here`);
    return { made: shape.make(arms), after: this.#first([...rest], scope) };
  }

  /** Whether a flow goes on after the block. */
  #leaves(edges: readonly Edge[], within: ReadonlySet<string>, pending: ReadonlySet<string>): boolean {
    if (edges.some(({ to }) => pending.has(to))) return true;
    return [...within].some((id) => (this.#out.get(id) ?? []).some((edge) => pending.has(edge.to) && !this.#lost.has(edge)));
  }

  #end(arm: Steps, scope: Around["scope"], later: ReadonlySet<string>): void {
    if (arm.at(-1)?.type === "end") return;
    if (scope === undefined) {
      const [next] = later;
      this.#notes.add(`“${this.#name(next ?? "")}” runs in every case: where its branch ended early, wrap it in a condition.`);
      return;
    }
    arm.push(this.#draft.step(this.#draft.nameOf("Stop here"), { type: "end", end: scope === "item" ? { scope } : {} }));
  }

  #repeat(id: string, shape: Shape & { kind: "each" }, out: readonly Edge[], scope: Set<string>, outer: Around): { made: Steps; after: readonly Edge[] } {
    const [inside, after] = [out.filter((edge) => edge.port === shape.body), out.filter((edge) => edge.port !== shape.body)];
    const reached = this.#reach(inside.map(({ to }) => to), scope);
    const done = this.#reach(after.map(({ to }) => to), scope);
    const returns = this.#returning(id, reached);
    const { within } = shape;
    const body = new Set([...reached].filter((other) => within?.has(other) ?? (returns.has(other) || (!done.has(other) && !(shape.strict && returns.size > 0)))));
    const exits = new Set([...body].flatMap((other) => (this.#out.get(other) ?? []).map(({ to }) => to)).filter((to) => scope.has(to) && !body.has(to)));
    const leaving = [...body].flatMap((other) => (this.#out.get(other) ?? []).filter(({ to }) => exits.has(to)));
    for (const other of body) scope.delete(other);
    const around: Around = { pending: new Set(), back: new Set([id, ...exits, ...(within === undefined ? [] : [...outer.pending, ...outer.back])]), scope: "item" };
    const steps = this.#region(this.#follow(inside, body, around), body, around);
    for (const to of exits) this.#notes.add(`“${this.#name(to)}” runs once after all items of “${this.#name(id)}”.`);
    return { made: shape.make(steps), after: [...after, ...leaving] };
  }

  /** Of these the nodes from which a flow comes back. */
  #returning(id: string, within: ReadonlySet<string>): Set<string> {
    const found = new Set<string>();
    for (let grown = true; grown; ) {
      grown = false;
      for (const other of within) {
        if (found.has(other)) continue;
        if ((this.#looked += 1 + (this.#out.get(other)?.length ?? 0)) > MOST_LOOKS) throw new Unreadable("its loops are too entangled to be made a tree: split it, and import the parts");
        if ((this.#out.get(other) ?? []).some(({ to }) => to === id || found.has(to))) grown = Boolean(found.add(other));
      }
    }
    return found;
  }
}

/** The edges that lead back to where a flow came from, if it begins at the entries in their order. */
export function leadingBack(entries: readonly string[], out: ReadonlyMap<string, readonly Edge[]>): Set<Edge> {
  const back = new Set<Edge>();
  const state = new Map<string, "open" | "done">();
  for (const entry of entries) {
    const path: { id: string; next: number }[] = state.has(entry) ? [] : [{ id: entry, next: 0 }];
    if (path.length > 0) state.set(entry, "open");
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const edge = out.get(top.id)?.[top.next];
      top.next += 1;
      if (edge === undefined) {
        state.set(top.id, "done");
        path.pop();
      } else if (state.get(edge.to) === "open") {
        back.add(edge);
      } else if (!state.has(edge.to)) {
        state.set(edge.to, "open");
        path.push({ id: edge.to, next: 0 });
      }
    }
  }
  return back;
}

function sharedBy(sets: readonly ReadonlySet<string>[]): Set<string> {
  const [once, twice] = [new Set<string>(), new Set<string>()];
  for (const ids of sets) for (const id of ids) (once.has(id) ? twice : once).add(id);
  return twice;
}
