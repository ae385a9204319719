// TypeScript that OpenAI's Agent Builder exported. It is parsed and never run.
import type { StepDocument, WorkflowDocument } from "stepweave";
import { Definitions } from "./agent-builder/definitions";
import { Flow } from "./agent-builder/flow";
import { saysLost } from "./clear";
import { list } from "./data";
import { Draft } from "./draft";
import { beginLooking, parseModule, type Syntax } from "./javascript";
import { MOST, Unreadable, type Report } from "./report";
import { withoutNamed } from "./secrets";

/** Code may be this long; what is longer is no export. */
const MOST_CODE = 2_000_000;

export function fromAgentBuilder(file: string): { document: WorkflowDocument; report: Report } {
  if (file.length > MOST_CODE) throw new Unreadable(`it has more than ${MOST_CODE / 1_000_000} MB of code`);
  if (nesting(file) > 400) throw new Unreadable("its code nests too deep");
  const lost = new Set<string>();
  // Texts lose their keys in their places, so that the code stays what it is.
  const source = withoutNamed(file, (name) => lost.add(name));
  let module: Syntax;
  try {
    module = parseModule(source);
  } catch (error) {
    throw new Unreadable(`it is no valid TypeScript: ${(error as Error).message}`);
  }
  beginLooking();
  const draft = new Draft();
  if (lost.size > 0) {
    draft.heldKeys();
    draft.notes.push(saysLost([...lost]));
  }
  const definitions = new Definitions(module, draft);
  const body = definitions.entry();
  if (body === undefined) throw new Unreadable("it has no function that runs agents (`runner.run(…)`): paste the whole file that Agent Builder exports");
  draft.input("input_as_text", { type: "string", description: "What the person writes" }, true);
  const flow = new Flow(definitions, source, draft);
  const steps: StepDocument[] = flow.block(list(body.statements) as Syntax[], true);
  if (draft.report().length > MOST.nodes) throw new Unreadable(`it has more than ${MOST.nodes} steps and tools`);
  definitions.reportUnused();
  const document = draft.document(body.name, "", steps);
  const notes = ["Code has no connections: what follows each other there follows each other here.", ...draft.notes];
  return { document, report: { tool: "OpenAI Agent Builder", nodes: draft.report(), connections: [], notes } };
}

/** How deep brackets nest, so that no parser runs out of stack. Brackets in texts count too: real files have few. */
function nesting(source: string): number {
  let [depth, most] = [0, 0];
  for (const letter of source) {
    if (letter === "(" || letter === "[" || letter === "{") most = Math.max(most, (depth += 1));
    else if (letter === ")" || letter === "]" || letter === "}") depth = Math.max(0, depth - 1);
  }
  return most;
}
