import { formsOf, longestFirst, withoutScheme } from "../effects/secret-forms.js";
import { StepweaveError } from "../api/errors.js";
import { MAX_RESULT_BYTES } from "../run/limits.js";
import { cutMark, type Bound } from "./bound.js";
import { callFailure, connectionFailure, type ServerName } from "./failure.js";
import { guarded, type McpFetch } from "./guard.js";
import type { CallOptions, CallResult, McpCall, McpClient, McpTool, McpTransport } from "./shapes.js";

/** How long the server may take to respond by default, in milliseconds. Each progress notification restarts the time. */
const TIMEOUT_MS = 60_000;

/** Pages that a list of tools may have, and tools in them. */
const MAX_PAGES = 1000;
const MAX_TOOLS = 10_000;

/** How a connection is made. */
export interface ConnectionOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: McpFetch | undefined;
  readonly timeoutMs: number | undefined;
  readonly maxResultBytes: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/** A session with a server. */
export class Connection {
  readonly server: ServerName;
  /** What went wrong last beside the calls: often it is why one gets no answer. */
  #trouble: Error | undefined;
  /** That a message was larger than the bound, if one was. */
  #tooLarge: StepweaveError | undefined;
  readonly #client: McpClient;
  readonly #transport: McpTransport;
  readonly #timeout: number;
  #closed: Promise<void> | undefined;

  private constructor(server: ServerName, client: McpClient, transport: McpTransport, timeout: number) {
    this.server = server;
    this.#client = client;
    this.#transport = transport;
    this.#timeout = timeout;
    client.onerror = (error) => void (this.#trouble = error);
  }

  static async open(url: URL, { headers, fetch, timeoutMs, maxResultBytes = MAX_RESULT_BYTES, signal }: ConnectionOptions): Promise<Connection> {
    signal?.throwIfAborted();
    const { Client, StreamableHTTPClientTransport } = await sdk();
    const server = serverName(url, headers);
    const bound: Bound = { most: maxResultBytes, tooLarge: () => connection.#noteTooLarge(maxResultBytes) };
    const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers }, fetch: guarded(url, fetch, bound) });
    const client = new Client(
      { name: "stepweave", version: "1" },
      {
        capabilities: {},
        // The SDK's own makes functions of texts, which Workers and strict pages do not allow. Results are checked here.
        jsonSchemaValidator: { getValidator: () => (data: unknown) => ({ valid: true, data, errorMessage: undefined }) },
      },
    );
    const connection = new Connection(server, client, transport, timeoutMs ?? TIMEOUT_MS);
    try {
      await client.connect(transport, connection.#options(signal));
    } catch (error) {
      const failure = connection.#failure(error);
      await connection.close();
      signal?.throwIfAborted();
      throw failure;
    }
    return connection;
  }

  /** All tools that the server has. */
  async tools(signal: AbortSignal | undefined): Promise<readonly McpTool[]> {
    const found: McpTool[] = [];
    const seen = new Set<string>();
    try {
      for (let cursor: string | undefined; ; ) {
        const page: { readonly tools: readonly McpTool[]; readonly nextCursor?: string } = await this.#client.listTools(cursor === undefined ? {} : { cursor }, this.#options(signal));
        found.push(...page.tools);
        cursor = page.nextCursor;
        if (cursor === undefined) return found;
        if (seen.has(cursor) || seen.size >= MAX_PAGES || found.length > MAX_TOOLS) throw endless(this.server);
        seen.add(cursor);
      }
    } catch (error) {
      signal?.throwIfAborted();
      throw this.#failure(error);
    }
  }

  async call({ name, execution }: McpTool, args: Record<string, unknown>, signal: AbortSignal | undefined): Promise<CallResult> {
    if (this.#closed !== undefined) {
      throw new StepweaveError("tool", `the tool ${name} cannot be called: the connection to the MCP server ${this.server.name} was closed`, {
        hint: "call close() when the runs that use its tools have ended",
      });
    }
    const call = { name, arguments: args };
    const options = { ...this.#options(signal), resetTimeoutOnProgress: true, onprogress: () => {} };
    this.#trouble = undefined;
    try {
      const result = execution?.taskSupport === "required" ? await this.#workOff(call, options) : await this.#client.callTool(call, undefined, options);
      if (result._meta?.[cutMark()] === true) throw this.#tooLarge;
      return result;
    } catch (error) {
      signal?.throwIfAborted();
      throw callFailure(error, name, this.server, this.#trouble);
    }
  }

  /** Ends the session. A server that is gone does not keep anyone from leaving. */
  close(): Promise<void> {
    return (this.#closed ??= (async () => {
      if (this.#transport.sessionId !== undefined) await this.#transport.terminateSession().catch(() => {});
      await this.#client.close();
    })());
  }

  /** Calls a tool that a server works off in the background. */
  async #workOff(call: McpCall, options: CallOptions): Promise<CallResult> {
    const tasks = this.#client.experimental?.tasks;
    if (tasks === undefined) {
      throw new StepweaveError("tool", `the tool ${call.name} is called as a task, which this version of @modelcontextprotocol/sdk cannot do`, { hint: "npm install @modelcontextprotocol/sdk@latest" });
    }
    for await (const message of tasks.callToolStream(call, undefined, { ...options, task: {} })) {
      if (message.type === "result") return message.result;
      if (message.type === "error") throw message.error;
    }
    throw new StepweaveError("tool", `the tool ${call.name} ended without a result`);
  }

  /** Why a server could not be used; while it is connected to, what was too large is the answer that was waited for. */
  #failure(error: unknown): StepweaveError {
    return this.#tooLarge ?? connectionFailure(error, this.server, this.#trouble);
  }

  #noteTooLarge(most: number): StepweaveError {
    this.#tooLarge = new StepweaveError("limit", `the MCP server ${this.server.name} sent a message of more than ${most} bytes, the limit of what is given at once`, {
      hint: "let the tool give less, or raise the option `maxResultBytes` of mcpTools()",
      retryable: false,
    });
    this.#trouble = this.#tooLarge;
    return this.#tooLarge;
  }

  #options(signal: AbortSignal | undefined): CallOptions {
    return { timeout: this.#timeout, ...(signal !== undefined && { signal }) };
  }
}

function endless({ name }: ServerName): StepweaveError {
  return new StepweaveError("network", `the MCP server ${name} has a list of tools without an end`, { hint: "it led to the same page twice, or to more pages or tools than any server has; tell whoever runs it" });
}

async function sdk() {
  try {
    const [{ Client }, { StreamableHTTPClientTransport }] = await Promise.all([
      import("@modelcontextprotocol/sdk/client/index.js"),
      import("@modelcontextprotocol/sdk/client/streamableHttp.js"),
    ]);
    return { Client, StreamableHTTPClientTransport };
  } catch (error) {
    throw new StepweaveError("validation", "mcpTools() needs the package @modelcontextprotocol/sdk", {
      cause: error,
      hint: "npm install @modelcontextprotocol/sdk",
    });
  }
}

function serverName(url: URL, headers: Readonly<Record<string, string>>): ServerName {
  const hidden = Object.values(headers).map(withoutScheme).flatMap(formsOf).sort(longestFirst);
  // Whatever stands behind the path may be a key.
  return { name: `${url.origin}${url.pathname}`, hide: (text) => hidden.reduce((shown, key) => shown.replaceAll(key, "[hidden]"), text) };
}
