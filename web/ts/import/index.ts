// Files of other tools as workflows. The page loads this when somebody imports one.
import { isData, isTooLarge, type Data } from "./data";
import { mended, type Check, type Made } from "./mend";
import { HELD_KEYS, MOST, Unreadable, type Report } from "./report";
import { withoutKeys } from "./secrets";

/** A workflow as JSON text with what became of the file, or why there is none. */
export type Imported = { readonly document: string; readonly report: Report } | { readonly error: string };

/** Reads a file of another tool; undefined for what is none. Nothing of it is run. What `check` refuses becomes a placeholder. */
export async function read(text: string, check?: Check): Promise<Imported | undefined> {
  if (text.length > MOST.bytes) return { error: `This is larger than ${MOST.bytes / 1_000_000} MB: that is no workflow.` };
  try {
    const made = await convert(text);
    return made !== undefined && "document" in made ? written(check === undefined ? made : await mendedIfPossible(made, check)) : made;
  } catch (error) {
    if (error instanceof Unreadable) return { error: `This file cannot be imported: ${error.message}.` };
    // Whatever a file holds, there is a sentence and no broken page.
    return { error: `This file cannot be imported: ${error instanceof Error ? error.message : String(error)}.` };
  }
}

/** Where the engine cannot be loaded, whoever shows the document says what is wrong with it. */
async function mendedIfPossible(made: Made, check: Check): Promise<Made> {
  try {
    return await mended(made, check);
  } catch {
    return made;
  }
}

async function convert(text: string): Promise<Made | { readonly error: string } | undefined> {
  if (/\bfrom\s+["']@openai\/agents(?:-core)?["']|new\s+Agent\s*\(/.test(text) && !/^\s*[{[]/.test(text)) {
    const { fromAgentBuilder } = await import("./agent-builder");
    return withoutAnyKey(fromAgentBuilder(text));
  }
  if (/^from agents import /m.test(text) && /runner\.run/i.test(text)) throw new Unreadable("this is Agent Builder's Python: export the TypeScript (“Agents SDK › TypeScript”), and import that");
  const file = await dataOf(text);
  if (!isData(file)) return undefined;
  // A workflow of ours is read as it is, and the validator says where its bounds are.
  if (Array.isArray(file["steps"]) && "version" in file) return undefined;
  if (isTooLarge(file, MOST.depth * 4, 1_000_000)) throw new Unreadable("it nests too deep, or holds too much");
  const { fromN8n, isN8n } = await import("./n8n");
  if (isN8n(file)) return withoutAnyKey(fromN8n(file));
  const { fromDify, isDify } = await import("./dify");
  if (isDify(file)) return withoutAnyKey(fromDify(file));
  const other = otherTool(file);
  return other === undefined ? undefined : { error: other };
}

async function dataOf(text: string): Promise<unknown> {
  const bare = text.replace(/^\uFEFF/, "");
  if (/^\s*[{[]/.test(bare)) {
    try {
      return JSON.parse(bare);
    } catch {
      return undefined;
    }
  }
  if (!/^\s*(?:#|---|[\w"']+\s*:)/.test(bare)) return undefined;
  const { readYaml } = await import("./yaml");
  try {
    return readYaml(bare);
  } catch (error) {
    throw new Unreadable(`it is no valid YAML (${(error as Error).message.split("\n")[0] ?? ""})`);
  }
}

/** What other tools' files are, and what to do with them. */
function otherTool(file: Data): string | undefined {
  const { nodes, edges, flow } = (isData(file["data"]) ? file["data"] : file) as Data;
  const says = (tool: string, what: string): string => `This is a file of ${tool}, which cannot be imported. ${what}`;
  const anew = "Build it anew: a template is a good beginning, and its prompts can be pasted.";
  const types = Array.isArray(nodes) ? nodes.map((node) => (isData(node) ? String(node["type"] ?? "") : "")) : [];
  if (Array.isArray(nodes) && Array.isArray(edges) && types.includes("genericNode")) return says("Langflow", anew);
  if (Array.isArray(nodes) && Array.isArray(edges) && types.some((type) => /^(?:customNode|agentFlow|stickyNote)$/.test(type))) return says("Flowise", anew);
  if (Array.isArray(flow) && isData(file["metadata"])) return says("Make", "Rebuild each module as a request: its address and fields stand in the module's settings.");
  if (Array.isArray(file["zaps"]) || isData(file["zap"])) return says("Zapier", "Rebuild each action as a request to the service's API.");
  if (isData(file["blocks"]) && Array.isArray(edges)) return says("Sim", anew);
  if (Array.isArray(file["nodes"]) && Array.isArray(file["links"])) return says("ComfyUI", "It makes pictures with local models, which is no work of agents and requests.");
  if (isData(file["trigger"]) && isData(file["template"] ?? file["trigger"]) && file["displayName"] !== undefined) return says("Activepieces", anew);
  if (Array.isArray(nodes) && Array.isArray(edges)) return says("a graph editor", "Its nodes have no meaning that is known here. Files of n8n, Dify and OpenAI's Agent Builder can be imported.");
  return undefined;
}

/** Texts that are put together of several may look like a key as a whole. */
function withoutAnyKey(made: Made): Made {
  const { value, found } = withoutKeys(made);
  const { document, report } = value;
  const notes = found && !report.notes.includes(HELD_KEYS) ? [...report.notes, HELD_KEYS] : report.notes;
  return { document, report: { ...report, notes } };
}

function written({ document, report }: Made): Imported {
  return { document: JSON.stringify(document, undefined, 2), report };
}
