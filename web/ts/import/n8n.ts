// Workflows of n8n.
import { arrange, type Edge, type Node, type Shape } from "./arrange";
import { cleared } from "./clear";
import { data, isData, list, text, type Data } from "./data";
import { Draft } from "./draft";
import { beginLooking } from "./javascript";
import { Names } from "./n8n/names";
import { isServing, isTrigger, kindOf, type Source } from "./n8n/source";
import { hasFields, helperOf } from "./n8n/helpers";
import { shapeOf } from "./n8n/shapes";
import { addTo, quoted, Taken } from "./text";
import { MOST, Unreadable, type Connection, type Report } from "./report";
import type { WorkflowDocument } from "stepweave";

export function isN8n(file: Data): boolean {
  const own = isData(file["workflow"]) ? file["workflow"] : file;
  return Array.isArray(own["nodes"]) && isData(own["connections"]) && list(own["nodes"]).every((node) => typeof data(node)["type"] === "string");
}

export function fromN8n(file: Data): { document: WorkflowDocument; report: Report } {
  const own = isData(file["workflow"]) ? file["workflow"] : file;
  if (list(own["nodes"]).length > MOST.nodes) throw new Unreadable(`it has more than ${MOST.nodes} nodes: split it in n8n, and import the parts`);
  beginLooking();
  const draft = new Draft();
  const sources = sourcesOf(own);
  // A trigger that is switched off starts nothing, unless each of them is.
  const starting = sources.filter(isTrigger);
  const idle = new Set(starting.some(({ disabled }) => !disabled) ? starting.filter(({ disabled }) => disabled) : []);
  const byName = new Map(sources.map((source) => [source.name, source]));
  const { edges, helpers, odd } = connectionsOf(own, byName, idle);
  // What only serves another node: models, tools, memories, parsers.
  const served = new Map<string, Source[]>();
  for (const { from, to } of helpers) {
    const [helper, user] = [byName.get(from), byName.get(to)];
    // What is switched off serves nobody.
    if (helper && user && !helper.disabled) addTo(served, to, helper);
  }
  const structured = new Set(sources.filter((source) => hasFields(source, served)).map(({ name }) => name));
  const names = new Names(text(own["name"]).trim() || "Imported workflow", sources, edges, structured, draft);
  const inFlow = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const isHelper = new Set(helpers.map(({ from }) => from).filter((name) => !inFlow.has(name)));
  const nodes: Node[] = [];
  const triggers: Source[] = [];
  for (const source of sources) {
    draft.became(source.name, { name: source.name, kind: kindOf(source) }, "", "whole");
    draft.leftBehind(source.name, source.lost);
    if (Object.hasOwn(data(own["pinData"]), source.name)) draft.remark(source.name, "What was pinned of it is left out: pin an output of a run anew.");
    if (source.type.endsWith(".stickyNote")) {
      draft.became(source.name, { name: text(source.parameters["content"]).split("\n")[0]?.replace(/^#+\s*/, "").slice(0, 60) || source.name, kind: "note" }, "a note of the workflow", "whole");
    } else if (isHelper.has(source.name) && source.disabled) {
      draft.became(source.name, { name: source.name, kind: kindOf(source) }, "left out: it was switched off", "whole");
    } else if (isHelper.has(source.name)) {
      helperOf(source, draft);
    } else if (isServing(source)) {
      draft.became(source.name, { name: source.name, kind: kindOf(source) }, "left out: no node uses it", "whole");
    } else if (idle.has(source)) {
      draft.became(source.name, { name: source.name, kind: kindOf(source) }, "left out: it was switched off", "whole");
    } else if (isTrigger(source)) {
      triggers.push(source);
    } else {
      nodes.push({ id: source.name, name: source.name, shape: shapeOf(source, { draft, names, served, edges }) });
    }
  }
  const { start, hung } = startOf(triggers, edges, draft, names);
  const starts = new Set(triggers.map(({ name }) => name));
  const [inner, toTriggers] = [edges.filter(({ from, to }) => !starts.has(from) && !starts.has(to)), edges.filter(({ to }) => starts.has(to))];
  const isTarget = new Set(inner.map(({ to }) => to));
  const heads = nodes.map(({ id }) => id).filter((id) => !isTarget.has(id));
  const entries = start ? [start.id] : heads.length > 0 ? heads : nodes.slice(0, 1).map(({ id }) => id);
  const arranged = arrange(start ? [start, ...nodes] : nodes, [...hung.keys(), ...inner], entries, draft);
  const stickies = sources.filter(({ type }) => type.endsWith(".stickyNote")).map(({ parameters }) => text(parameters["content"]).trim()).filter(Boolean);
  const document = draft.document(text(own["name"]), "", arranged.steps);
  if (stickies.length > 0) document.notes = stickies.join("\n\n").slice(0, 20_000);
  const connections: Connection[] = [
    ...arranged.edges.flatMap(({ edge, lost }) => (hung.get(edge) ?? [edge.from]).map((from) => ({ from, to: edge.to, ...(lost && { lost }) }))),
    ...toTriggers.map(({ from, to }) => ({ from, to, lost: "it leads to a trigger, which begins a run" })),
    ...helpers.map(({ from, to }) => ({ from, to })),
    ...odd,
  ];
  const lists = nodes.length > 0 ? ["n8n runs a node once for each item that it gets; here a step runs once. Wrap the steps that lists go through in a “For each”."] : [];
  return { document, report: { tool: "n8n", nodes: draft.report(), connections, notes: [...lists, ...draft.notes, ...arranged.notes] } };
}

/** The nodes, each with a name of its own. */
function sourcesOf(file: Data): Source[] {
  const taken = new Taken();
  return list(file["nodes"]).map((raw, index) => {
    const node = data(raw);
    // Connections go by names: a second node of the same name can have none.
    const given = text(node["name"]) || `Node ${index + 1}`;
    const name = taken.unique(taken.has(given) ? `${given} (again)` : given, " ");
    const { value: parameters, lost } = cleared(data(node["parameters"]));
    return {
      name,
      type: text(node["type"]),
      version: Number(node["typeVersion"]) || 1,
      parameters,
      lost,
      disabled: node["disabled"] === true,
      onError: text(node["onError"]) || (node["continueOnFail"] === true ? "continueRegularOutput" : ""),
      retries: node["retryOnFail"] === true ? Math.min(Number(node["maxTries"]) || 3, 10) : 0,
      once: node["executeOnce"] === true,
      hasCredentials: isData(node["credentials"]),
    };
  });
}

/** Connections of the flow, those of nodes that serve others, and those that name a node that is not there. */
function connectionsOf(file: Data, byName: ReadonlyMap<string, Source>, idle: ReadonlySet<Source>): { edges: Edge[]; helpers: Edge[]; odd: Connection[] } {
  const [edges, helpers, odd]: [Edge[], Edge[], Connection[]] = [[], [], []];
  // Some tools that write such files name nodes by their ids.
  const names = [...byName.keys()];
  const ids = new Map(list(file["nodes"]).map((node, index) => [text(data(node)["id"]), names[index] ?? ""]));
  let ends = 0;
  const named = (name: string): string => (byName.has(name) ? name : (ids.get(name) ?? name));
  for (const [key, kinds] of Object.entries(data(file["connections"]))) {
    const from = named(key);
    for (const [kind, ports] of Object.entries(data(kinds))) {
      // A switch has a case for each, also where nothing hangs on it.
      if ((ends += list(ports).length) > MOST.connections) throw new Unreadable(`its nodes have more than ${MOST.connections} outputs`);
      list(ports).forEach((targets, port) => {
        for (const target of list(targets)) {
          const to = named(text(data(target)["node"]));
          if (edges.length + helpers.length + odd.length >= MOST.connections) throw new Unreadable(`it has more than ${MOST.connections} connections`);
          const [source, user] = [byName.get(from), byName.get(to)];
          const serving = kind === "main" ? [source, user].find((end) => end && isServing(end)) : undefined;
          if (source === undefined || user === undefined) odd.push({ from, to, lost: "the file has no node of this name" });
          else if (kind !== "main" && !kind.startsWith("ai_")) odd.push({ from, to, lost: `n8n has no connections of the kind “${kind.slice(0, 40)}”` });
          else if (idle.has(source)) odd.push({ from, to, lost: `“${from}” was switched off` });
          else if (serving) odd.push({ from, to, lost: `“${serving.name}” serves other nodes, and has no place in the flow` });
          else (kind === "main" ? edges : helpers).push({ from, port: String(port), to, input: Number(data(target)["index"]) || 0 });
        }
      });
    }
  }
  return { edges, helpers, odd };
}

const START = "\u0000start";

/**
 * Triggers begin a run: with one there is nothing to choose; with several that lead elsewhere, a run says which. Each edge that
 * hangs on the start is one of the triggers that are listed with it.
 */
function startOf(triggers: readonly Source[], edges: readonly Edge[], draft: Draft, names: Names): { start?: Node; hung: Map<Edge, string[]> } {
  for (const trigger of triggers) {
    draft.became(trigger.name, { name: trigger.name, kind: kindOf(trigger) }, "the input of the workflow", "whole");
    names.inputOf(trigger);
  }
  const starts = new Set(triggers.map(({ name }) => name));
  const leads = new Map<string, string[]>();
  for (const { from, to } of edges) if (starts.has(from) && !starts.has(to)) addTo(leads, from, to);
  const targets = (trigger: Source): string[] => [...new Set(leads.get(trigger.name))].sort();
  // Two outputs of one trigger may lead to one node: each is a connection.
  const whence = (to: string, of: readonly Source[]): string[] => of.flatMap(({ name }) => (leads.get(name) ?? []).flatMap((each) => (each === to ? name : [])));
  const used = triggers.filter((trigger) => targets(trigger).length > 0);
  const [first] = used;
  const hung = new Map<Edge, string[]>();
  if (first === undefined) return { hung };
  const ofFirst = targets(first).join("\n");
  if (used.every((trigger) => targets(trigger).join("\n") === ofFirst)) {
    for (const to of targets(first)) hung.set({ from: START, port: "0", to }, whence(to, used));
    return { start: { id: START, name: first.name, shape: { kind: "steps", steps: [] } }, hung };
  }
  for (const trigger of used) for (const to of targets(trigger)) hung.set({ from: START, port: trigger.name, to }, whence(to, [trigger]));
  draft.state["trigger"] = first.name;
  draft.input("trigger", { type: "string", enum: used.map(({ name }) => name), description: "What starts the run" }, false);
  const name = draft.nameOf("What starts it");
  const shape: Shape = {
    kind: "choice",
    ports: used.map((trigger) => trigger.name),
    make: (arms) => [draft.step(name, { type: "switch", cases: used.map((trigger, index) => ({ when: `trigger == ${quoted(trigger.name)}`, steps: arms[index] ?? [] })), default: [] })],
  };
  return { start: { id: START, name, shape }, hung };
}
