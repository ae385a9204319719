// Apps of Dify: workflows and chats of its YAML.
import type { Json, WorkflowDocument } from "stepweave";
import { arrange, MOST_DEEP, type Edge, type Node } from "./arrange";
import { cleared } from "./clear";
import { at, data, isData, list, text, type Data } from "./data";
import { Draft } from "./draft";
import { modelKey, shapeOf, type Making } from "./dify/shapes";
import { Selectors, type Block } from "./dify/selectors";
import { MOST, Unreadable, type Connection, type Report } from "./report";
import { joined, literal, Taken } from "./text";

export function isDify(file: Data): boolean {
  return isData(file["app"]) && (isData(file["workflow"]) || isData(file["model_config"]));
}

export function fromDify(file: Data): { document: WorkflowDocument; report: Report } {
  const app = data(file["app"]);
  const draft = new Draft();
  if (!isData(at(file, "workflow", "graph"))) return fromChat(file, app, draft);
  const graph = data(at(file, "workflow", "graph"));
  const raw = list(graph["nodes"]).map(data);
  if (raw.length > MOST.nodes) throw new Unreadable(`it has more than ${MOST.nodes} nodes`);
  if (list(graph["edges"]).length > MOST.connections) throw new Unreadable(`it has more than ${MOST.connections} connections`);
  const taken = new Taken();
  const lost = new Map<string, readonly string[]>();
  const read = raw.map((node, index): Block => {
    const { value: own, lost: fields } = cleared(data(node["data"]), { lines: true });
    const id = taken.unique(text(node["id"]) || `node ${index}`, "'");
    lost.set(id, fields);
    // A note on the canvas has no kind of its own.
    return { id, data: own, kind: text(own["type"]) || (text(node["type"]) === "custom-note" ? "note" : text(node["type"])), title: text(own["title"]).trim() || text(own["type"]) || "note", parent: text(node["parentId"]) || text(own["iteration_id"]) || text(own["loop_id"]) };
  });
  const blocks = outOfThemselves(read);
  const edges = list(graph["edges"]).map(data).map((edge): Edge => ({ from: text(edge["source"]), port: text(edge["sourceHandle"]) || "source", to: text(edge["target"]) }));
  const selectors = new Selectors(blocks, edges, draft);
  const making: Making = { draft, selectors, inside: (parent) => level(parent) };
  const all: { edge: Edge; lost?: string }[] = [];
  const notes: string[] = [];
  for (const block of blocks) {
    draft.became(block.id, { name: block.title, kind: block.kind }, "", "whole");
    draft.leftBehind(block.id, lost.get(block.id) ?? []);
  }
  variables(file, draft, selectors);

  /** The steps of one canvas: the whole one, or that of an iteration or a loop. */
  function level(parent: string): ReturnType<typeof arrange>["steps"] {
    const own = blocks.filter((block) => block.parent === parent && !isNote(block));
    const nodes: Node[] = own.map((block) => ({ id: block.id, name: block.title, shape: shapeOf(block, making) }));
    const ids = new Set(own.map(({ id }) => id));
    const within = edges.filter(({ from, to }) => ids.has(from) && ids.has(to));
    const begins = own.filter(({ kind, id }) => /^(?:start|iteration-start|loop-start|trigger-.*|datasource)$/.test(kind) || text(data(blocks.find((block) => block.id === parent)?.data)["start_node_id"]) === id).map(({ id }) => id);
    const heads = own.map(({ id }) => id).filter((id) => !within.some(({ to }) => to === id));
    const made = arrange(nodes, within, begins.length > 0 ? begins : heads.length > 0 ? heads : own.slice(0, 1).map(({ id }) => id), draft);
    all.push(...made.edges);
    notes.push(...made.notes);
    return made.steps;
  }

  const known = new Set(blocks.map(({ id }) => id));
  const parents = new Set(blocks.filter(({ kind }) => kind === "iteration" || kind === "loop").map(({ id }) => id));
  const steps = level("");
  // What lies in a canvas that is not there is kept beside.
  for (const lost of new Set(blocks.map(({ parent }) => parent))) if (lost !== "" && !parents.has(lost)) steps.push(...level(lost));
  for (const block of blocks.filter(isNote)) draft.became(block.id, { name: block.title || "note", kind: "note" }, "a note of the workflow", "whole");
  const document = draft.document(text(app["name"]), text(app["description"]), steps);
  selectors.forgetSecrets(document);
  const said = blocks.filter(isNote).map((block) => noteOf(text(block.data["text"]))).filter(Boolean);
  if (said.length > 0) document.notes = said.join("\n\n").slice(0, 20_000);
  const titles = new Map(blocks.map(({ id, title }) => [id, title]));
  const name = (id: string): string => titles.get(id) ?? id;
  const listed = new Set(all.map(({ edge }) => edge));
  const connections: Connection[] = [
    ...all.map(({ edge, lost }) => ({ from: name(edge.from), to: name(edge.to), ...(lost && { lost }) })),
    ...edges.filter((edge) => !listed.has(edge)).map(({ from, to }) => ({ from: name(from), to: name(to), lost: known.has(from) && known.has(to) ? "it crosses the border of an iteration or a loop" : "the file has no node of this id" })),
  ];
  return { document, report: { tool: "Dify", nodes: draft.report(), connections, notes: [...draft.notes, ...notes] } };
}

/** The blocks, with those on the canvas of the workflow that lie in themselves. */
function outOfThemselves(blocks: readonly Block[]): readonly Block[] {
  const parents = new Map(blocks.map(({ id, parent }) => [id, parent]));
  return blocks.map((block) => {
    const around = new Set<string>();
    for (let next: string | undefined = block.parent; next !== undefined && !around.has(next); next = parents.get(next)) {
      if (next === block.id) return { ...block, parent: "" };
      around.add(next);
      if (around.size > MOST_DEEP) throw new Unreadable(`its iterations and loops nest more than ${MOST_DEEP} deep`);
    }
    return block;
  });
}

function isNote({ kind }: Block): boolean {
  return kind === "note" || kind === "custom-note";
}

/** The text of a note, which its editor keeps as a tree. */
function noteOf(json: string): string {
  try {
    const words: string[] = [];
    const open: unknown[] = [JSON.parse(json)];
    for (let next = open.shift(); next !== undefined && words.length < 500; next = open.shift()) {
      if (Array.isArray(next)) open.unshift(...(next as unknown[]));
      else if (isData(next)) {
        if (typeof next["text"] === "string") words.push(next["text"]);
        else open.unshift(...Object.values(next).filter((value) => typeof value === "object" && value !== null));
      }
    }
    return words.join(" ");
  } catch {
    return json;
  }
}

/** Variables of the conversation and of the environment; the values of secret ones are left behind. */
function variables(file: Data, draft: Draft, selectors: Selectors): void {
  for (const row of list(at(file, "workflow", "conversation_variables")).map(data)) {
    const name = text(row["name"]);
    if (name !== "" && name !== "__proto__") draft.state[selectors.conversation(name)] = withoutKey(name, row["value"], draft);
  }
  for (const row of list(at(file, "workflow", "environment_variables")).map(data)) {
    const name = text(row["name"]);
    if (name === "" || name === "__proto__") continue;
    const isKey = text(row["value_type"]) === "secret" || /key|token|secret|password/i.test(name);
    draft.state[selectors.environment(name)] = isKey ? "" : withoutKey(name, row["value"], draft);
    if (!isKey) continue;
    selectors.keepSecret(name);
    saysSecret(name, draft);
  }
}

function withoutKey(name: string, given: unknown, draft: Draft): Json {
  const { value, lost } = cleared(given ?? null, { name });
  if (lost.length > 0) saysSecret(name, draft);
  return value as Json;
}

function saysSecret(name: string, draft: Draft): void {
  draft.notes.push(`The value of ${name} is a secret, and was left behind. Name it as the key of a request or a model.`);
}

/** An app without a canvas is one agent. */
function fromChat(file: Data, app: Data, draft: Draft): { document: WorkflowDocument; report: Report } {
  const { value: config, lost } = cleared(data(file["model_config"]));
  draft.became("app", { name: text(app["name"]) || "App", kind: text(app["mode"]) || "chat" }, "", "whole");
  draft.leftBehind("app", lost);
  for (const field of list(config["user_input_form"]).flatMap((row) => Object.values(data(row))).map(data)) {
    const name = text(field["variable"]);
    if (name !== "" && name !== "__proto__") draft.input(name, { type: "string", description: text(field["label"]) || name }, field["required"] === true);
  }
  const prompt = text(config["pre_prompt"]);
  const reads = /\{\{\w+\}\}/.test(prompt);
  draft.input("query", { type: "string", description: "What the person writes" }, text(app["mode"]) !== "completion");
  const agent = draft.agent(text(app["name"]) || "assistant", { model: modelKey("app", data(config["model"]), draft), ...(prompt !== "" && !reads && { instructions: prompt }) });
  const before = reads ? `${joined(prompt.split(/(\{\{\w+\}\})/).map((piece) => (/^\{\{\w+\}\}$/.test(piece) ? `{{ ${piece.slice(2, -2)} | default('') }}` : literal(piece))))}\n\n` : "";
  const step = draft.step(draft.nameOf(text(app["name"]) || "Answer"), { type: "agent", agent, inputFrom: `${before}{{ query | default('') }}`, history: { key: "conversation" } });
  draft.became("app", { name: step.name, kind: text(app["mode"]) || "chat" }, "a step: agent", "whole", step);
  for (const tool of list(at(config, "agent_mode", "tools")).map(data)) draft.remark("app", `Give it the tool ${text(tool["tool_name"]) || "that it had"} again.`);
  if (list(at(config, "dataset_configs", "datasets", "datasets")).length > 0) draft.remark("app", "It answered from a knowledge base: give it a tool that searches.");
  return { document: draft.document(text(app["name"]), text(app["description"]), [step]), report: { tool: "Dify", nodes: draft.report(), connections: [], notes: draft.notes } };
}
