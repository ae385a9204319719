import { StepweaveError } from "../api/errors.js";
import { loadValidator } from "../schema/validator.js";
import { checkable } from "./checkable.js";
import { outputOf, textOfContent } from "./content.js";
import type { ServerName } from "./failure.js";
import type { CallResult, McpTool } from "./shapes.js";

/** What the result of a call gives; throws `tool` where the server says that it failed, or where it is not what its schema says. */
export async function resultOf(tool: McpTool, result: CallResult, server: ServerName, binary: "describe" | "include"): Promise<unknown> {
  const { isError, content = [] } = result;
  if (isError === true) throw new StepweaveError("tool", textOfContent(content) || `the tool ${tool.name} failed without a word`);
  await check(tool, result, server);
  return outputOf(result, binary);
}

/** A result is what the server says its results are. */
async function check({ name, outputSchema }: McpTool, { structuredContent }: CallResult, server: ServerName): Promise<void> {
  if (outputSchema === undefined) return;
  const said = `the tool ${name} of the MCP server ${server.name}`;
  if (structuredContent === undefined) throw new StepweaveError("tool", `${said} gave no structured content, though it has an output schema`);
  const schema = checkable(outputSchema);
  const [fault] = (await loadValidator([schema])).check(schema, structuredContent);
  if (fault === undefined) return;
  throw new StepweaveError("tool", `${said} gave something else than its output schema says: ${fault.at || "the whole of it"} does not meet ${fault.rule}`);
}
