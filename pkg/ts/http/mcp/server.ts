import { StepweaveError } from "../../api/errors.js";
import { publicError } from "../../api/public-error.js";
import type { Workflow } from "../../api/workflow.js";
import { reading } from "../../schema/options.js";
import { discardBody } from "../body.js";
import { Border } from "../border.js";
import { principalOf } from "../principal.js";
import { failed, isForTheLog, Refused, tooManyRuns } from "../problem.js";
import { checkRunOptions } from "../run-options.js";
import { mcpSettingsOf, type McpServerOptions, type McpSettings } from "./options.js";
import { Seals, Unsealable } from "./seal.js";
import { failure, ServedTool } from "./served-tool.js";
import type { SdkCall, SdkContext, SdkResult, SdkServer } from "./shapes.js";
import { StoredRuns } from "./stored-runs.js";

/** A standard `fetch` of a server. */
export type McpHandler = (request: Request, environment?: unknown, context?: unknown) => Promise<Response>;

type Served = Pick<Workflow, "start" | "toDocument"> & Partial<Pick<Workflow, "handlers">>;

const INVALID_PARAMS = -32602;
const HEADERS = "authorization, content-type, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, last-event-id";

/**
 * Serves workflows as the tools of an MCP server: a standard `fetch` that remembers nothing between requests. A run that
 * waits for a person is kept by the client, sealed. It needs the package `@modelcontextprotocol/server`.
 *
 * ```ts
 * import { bearer } from "stepweave/http";
 * import { mcpServer } from "stepweave/mcp/server";
 *
 * export default { fetch: mcpServer(workflow, { authorize: bearer({ shop: token }), keys: [{ id: "2026-11", key }] }) };
 * ```
 */
export function mcpServer(workflows: Served | readonly Served[], options: McpServerOptions): McpHandler {
  const served = reading("the workflows of mcpServer()", () => (Array.isArray(workflows) ? [...(workflows as readonly Served[])] : [workflows as Served]));
  if (served.length === 0 || !reading("the workflows of mcpServer()", () => served.every((one) => typeof one?.start === "function" && typeof one.toDocument === "function"))) {
    throw new StepweaveError("validation", "mcpServer() needs a workflow, or a list of them", { hint: "write mcpServer(new Workflow({ … }), { … })" });
  }
  const settings = mcpSettingsOf(options);
  for (const workflow of served) checkRunOptions(workflow, settings.run);
  const seals = new Seals(settings.keys, settings.maxJournalBytes);
  const border = new Border(settings);
  const stored = settings.store && new StoredRuns(settings.store, settings.staleMs);
  const tools = served.map((workflow) => new ServedTool(workflow, settings, seals, stored));
  checkNamed(tools, settings.names);
  const server = new Serving(toolsOf(tools), settings);
  return async (request) => {
    try {
      const url = new URL(request.url);
      border.checkHost(url);
      border.checkOrigin(request, url);
      if (request.method === "OPTIONS") return border.opened(request, new Response(null, { status: 204, headers: { "access-control-allow-methods": "POST, GET, DELETE", "access-control-allow-headers": HEADERS, "access-control-max-age": "86400" } }));
      const response = await server.respond(request);
      return border.opened(request, new Response(response.body, response));
    } catch (error) {
      if (isForTheLog(error)) await settings.onError(error, request);
      return border.opened(request, failed(error));
    } finally {
      await discardBody(request, settings.maxBodyBytes);
    }
  };
}

/** Refuses a name for a workflow that is not among them: it would be listed under another one without a word. */
function checkNamed(tools: readonly ServedTool[], names: McpSettings["names"]): void {
  const known = tools.map(({ workflowName }) => workflowName);
  const stranger = [...names.keys()].find((name) => !known.includes(name));
  if (stranger === undefined) return;
  throw new StepweaveError("validation", `the option \`names\` of mcpServer() names a tool for \`${stranger}\`, and no workflow has that name`, { hint: `they are ${known.map((name) => `\`${name}\``).join(", ")}` });
}

/** Tools by their names; throws where clients could call only one of two. */
function toolsOf(served: readonly ServedTool[]): ReadonlyMap<string, ServedTool> {
  const tools = new Map<string, ServedTool>();
  for (const tool of served) {
    const { name } = tool;
    if (tools.has(name)) throw new StepweaveError("validation", `two workflows of mcpServer() are the tool \`${name}\``, { hint: "name each workflow apart, or its tool with the option `names`: a tool's name has letters, digits, `_`, `-` and `.`, and 128 of them at most" });
    tools.set(name, tool);
  }
  return tools;
}

/** The tools of a server, and how many of their runs go on. */
class Serving {
  readonly #tools: ReadonlyMap<string, ServedTool>;
  readonly #settings: McpSettings;
  #count = 0;

  constructor(tools: ReadonlyMap<string, ServedTool>, settings: McpSettings) {
    this.#tools = tools;
    this.#settings = settings;
  }

  async respond(request: Request): Promise<Response> {
    const principal = await principalOf(request, this.#settings.authorize, "mcpServer()");
    const { Server, ProtocolError, createMcpHandler } = await sdk();
    const tools = this.#tools;
    const handler = createMcpHandler(
      ({ era }) => {
        const server: SdkServer = new Server(
          { name: [...tools.keys()].join(", ").slice(0, 128), version: "1" },
          {
            capabilities: { tools: {} },
            // The SDK's own makes functions of texts, which Workers do not allow. Runs check their input.
            jsonSchemaValidator: { getValidator: () => (data: unknown) => ({ valid: true, data, errorMessage: undefined }) },
          },
        );
        server.setRequestHandler("tools/list", () => ({ tools: [...tools.values()].map(({ listing }) => listing) }));
        server.setRequestHandler("tools/call", ({ params }, context) => this.#call(params, context, { principal, canBeAsked: era === "modern" }, ProtocolError));
        return server;
      },
      { maxRequestBodySize: this.#settings.maxBodyBytes, onerror: () => {} },
    );
    return handler.fetch(request, { authInfo: { token: "", clientId: principal, scopes: [] } });
  }

  async #call(params: SdkCall, context: SdkContext, caller: { principal: string; canBeAsked: boolean }, ProtocolError: new (code: number, message: string) => Error): Promise<SdkResult> {
    const tool = this.#tools.get(params.name);
    if (tool === undefined) throw new ProtocolError(INVALID_PARAMS, `there is no tool ${params.name.slice(0, 128)}`);
    if (this.#count >= this.#settings.maxRuns) return failureOf(tooManyRuns());
    this.#count += 1;
    try {
      return await tool.call(params, context, caller);
    } catch (error) {
      // Why it does not open is reported to nobody but whoever serves it.
      if (error instanceof Unsealable) throw new ProtocolError(INVALID_PARAMS, "Invalid or expired requestState");
      // Whatever becomes of the call is the model's to read: it mends its arguments, calls again or says why not.
      if (error instanceof Refused) return failureOf(error);
      if (isForTheLog(error)) await this.#settings.onError(error, context.http?.req);
      const { message, hint } = publicError(error);
      return failure(message, hint);
    } finally {
      this.#count -= 1;
    }
  }
}

function failureOf({ message, more }: Refused): SdkResult {
  return failure(message, more.hint);
}

async function sdk() {
  try {
    return await import("@modelcontextprotocol/server");
  } catch (error) {
    throw new StepweaveError("validation", "mcpServer() needs the package @modelcontextprotocol/server", { cause: error, hint: "npm install @modelcontextprotocol/server" });
  }
}
