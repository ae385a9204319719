import { formsOf, longestFirst, withoutScheme } from "../effects/secret-forms.js";
import { withoutForms, type Hidden } from "../effects/secret-readings.js";
import { isStepweaveError, StepweaveError } from "../api/errors.js";
import { MAX_RESULT_BYTES } from "../run/limits.js";
import type { Authorization } from "./authorization.js";
import { workOff } from "./background.js";
import { cutMark, type Bound } from "./bound.js";
import { callFailure, codeOf, connectionFailure, type ServerName } from "./failure.js";
import { guarded, type McpFetch } from "./guard.js";
import type { CallOptions, CallResult, InputRequired, McpCall, McpClient, McpTool, McpTransport } from "./shapes.js";

/** How long the server may take to respond by default, in milliseconds. Each progress notification restarts the time. */
const TIMEOUT_MS = 60_000;

/** Pages that a list may have, and items in them. */
const MAX_PAGES = 1000;
const MAX_ITEMS = 10_000;

/** What a call says a client can do, where servers are to ask people: nothing is said of it otherwise. */
const ASKS_PEOPLE = { "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {}, url: {} } } };

/** How a connection is made. */
export interface ConnectionOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly auth: Authorization | undefined;
  readonly fetch: McpFetch | undefined;
  readonly timeoutMs: number | undefined;
  readonly maxResultBytes: number | undefined;
  readonly signal: AbortSignal | undefined;
  /** Whether a session that the server does not know any more is begun anew: what it offers may be something else then. */
  readonly session: "renewed" | "one";
}

/** A client that is connected: since the protocol of 2026 to nothing but an address, before that within a session. */
interface Link {
  readonly client: McpClient;
  readonly transport: McpTransport;
  /** The one that took its place, once the server does not know its session any more. */
  next?: Promise<Link> | undefined;
}

/** How a call is made. */
export interface Calling {
  readonly signal: AbortSignal | undefined;
  /** Receives how far the server is. */
  readonly onProgress: ((progress: unknown) => void) | undefined;
}

/** A connection to a server. */
export class Connection {
  readonly server: ServerName;
  /** What went wrong last beside the calls: often it is why one gets no answer. */
  #trouble: Error | undefined;
  /** That a message was larger than the bound, if one was. */
  #tooLarge: StepweaveError | undefined;
  /** The bytes that a list may still have: all its pages together are bounded, as one message is. */
  #room: number | undefined;
  readonly #made: () => Link;
  readonly #session: ConnectionOptions["session"];
  readonly #timeout: number;
  readonly #most: number;
  #link: Link;
  /** The one before: a call may still have to hear of it that its session is over. */
  #before: Link | undefined;
  #isForgotten = false;
  #closed: Promise<void> | undefined;

  private constructor(server: ServerName, made: () => Link, { session, timeoutMs, maxResultBytes = MAX_RESULT_BYTES }: ConnectionOptions) {
    this.server = server;
    this.#made = made;
    this.#session = session;
    this.#timeout = timeoutMs ?? TIMEOUT_MS;
    this.#most = maxResultBytes;
    this.#link = made();
  }

  static async open(url: URL, options: ConnectionOptions): Promise<Connection> {
    const { headers, auth, fetch, signal } = options;
    refuseGivenUp(signal);
    const { Client, StreamableHTTPClientTransport } = await sdk();
    const server = serverName(url, headers, auth);
    const bound: Bound = { fits: (longest, bytes) => connection.#fits(longest, bytes), tooLarge: () => connection.#noteTooLarge() };
    const made = (): Link => {
      const transport = new StreamableHTTPClientTransport(url, {
        requestInit: { headers },
        fetch: guarded(url, fetch, bound),
        // The SDK signs in by itself only with a provider of its own, and through the `fetch` that has the headers.
        ...(auth !== undefined && { authProvider: { token: () => auth.token(), onUnauthorized: () => auth.renew() } }),
      });
      const client = new Client(
        { name: "stepweave", version: "1" },
        {
          capabilities: {},
          // It requests which protocols the server speaks; those of 2025 and before are then greeted as they expect it.
          versionNegotiation: { mode: "auto" },
          listMaxPages: MAX_PAGES,
          // The SDK's own makes functions of texts, which Workers and strict pages do not allow. Results are checked here.
          jsonSchemaValidator: { getValidator: () => (data: unknown) => ({ valid: true, data, errorMessage: undefined }) },
        },
      );
      return { client, transport };
    };
    const connection = new Connection(server, made, options);
    try {
      await unlessGivenUp(connection.#begin(connection.#link, signal), signal);
    } catch (error) {
      const failure = connection.#failure(error);
      await connection.close();
      refuseGivenUp(signal);
      throw failure;
    }
    return connection;
  }

  /** Whether a call of this server may come back with a request to ask people, and remembers nothing meanwhile. */
  get mayAsk(): boolean {
    return this.#link.client.getProtocolEra() === "modern";
  }

  /** Whether the server does not know the session any more, as when it was started again. */
  get isForgotten(): boolean {
    return this.#isForgotten;
  }

  /** All items of one of the server's lists: what `read` gives has every page. */
  async list<Item>(read: (client: McpClient, options: CallOptions) => Promise<readonly Item[]>, signal: AbortSignal | undefined): Promise<readonly Item[]> {
    this.#room = this.#most;
    try {
      const items = await this.read(read, signal);
      if (items.length > MAX_ITEMS) throw endless(this.server);
      return items;
    } catch (error) {
      throw (error as { cause?: { code?: unknown } }).cause?.code === "LIST_PAGINATION_EXCEEDED" ? endless(this.server) : error;
    } finally {
      this.#room = undefined;
    }
  }

  /** Something else that the server has. */
  async read<Value>(read: (client: McpClient, options: CallOptions) => Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
    try {
      return await this.#within((client) => read(client, this.#options(signal)));
    } catch (error) {
      refuseGivenUp(signal);
      throw this.#failure(error);
    }
  }

  /** Calls a tool. */
  call(tool: McpTool, args: Record<string, unknown>, calling: Calling): Promise<CallResult> {
    const call = { name: tool.name, arguments: args };
    const isTask = tool.execution?.taskSupport === "required";
    return this.#send(tool, calling, async (options) => {
      // What a task has begun with is not done once more: it may be its end that nobody knows any more.
      if (isTask) return workOff(this.#link.client, call, options);
      return (await this.#within((client) => client.callTool(call, options))) as CallResult;
    });
  }

  /** Calls a tool whose server may ask people first; the answers of the last time go with it. */
  ask(tool: McpTool, call: Omit<McpCall, "name" | "_meta">, calling: Calling): Promise<CallResult | InputRequired> {
    return this.#send(tool, calling, (options) => this.#within((client) => client.callTool({ ...call, name: tool.name, _meta: ASKS_PEOPLE }, { ...options, allowInputRequired: true })));
  }

  /** Ends the connection. A server that is gone does not keep anyone from leaving. */
  close(): Promise<void> {
    return (this.#closed ??= (async () => {
      const { client, transport } = this.#link;
      if (transport.sessionId !== undefined) await transport.terminateSession().catch(() => {});
      await Promise.all([client.close(), this.#before?.client.close()]);
    })());
  }

  async #begin(link: Link, signal: AbortSignal | undefined): Promise<Link> {
    link.client.onerror = (error) => void (this.#trouble = error);
    await link.client.connect(link.transport, this.#options(signal));
    return link;
  }

  /** Does something with the client; once more in another session where the server does not know this one: then it has done nothing yet. */
  async #within<Value>(make: (client: McpClient) => Promise<Value>): Promise<Value> {
    const link = this.#link;
    try {
      return await make(link.client);
    } catch (error) {
      if (codeOf(error) !== 404 || link.transport.sessionId === undefined) throw error;
      this.#isForgotten = true;
      if (this.#session === "one" || this.#closed !== undefined) throw error;
      return make((await (link.next ??= this.#renewed(link))).client);
    }
  }

  /** Another session in the place of one that is over, the same for all calls that hear of it. */
  async #renewed(over: Link): Promise<Link> {
    const link = this.#made();
    try {
      await this.#begin(link, undefined);
      if (this.#closed !== undefined) throw new StepweaveError("cancelled", `the connection to the MCP server ${this.server.name} was closed`);
    } catch (error) {
      over.next = undefined;
      await link.client.close();
      throw error;
    }
    await this.#before?.client.close();
    this.#before = over;
    this.#link = link;
    this.#isForgotten = false;
    return link;
  }

  async #send<Result extends CallResult | InputRequired>(tool: McpTool, { signal, onProgress }: Calling, send: (options: CallOptions) => Promise<Result>): Promise<Result> {
    if (this.#closed !== undefined) {
      throw new StepweaveError("tool", `the tool ${tool.name} cannot be called: the connection to the MCP server ${this.server.name} was closed`, {
        hint: "call close() when the runs that use its tools have ended",
      });
    }
    this.#trouble = undefined;
    try {
      // Of the description the SDK takes which arguments are headers too; results are checked here.
      const { outputSchema: _, ...toolDefinition } = tool;
      const result = await send({ ...this.#options(signal), resetTimeoutOnProgress: true, onprogress: (progress) => onProgress?.(progress), toolDefinition });
      if ("_meta" in result && result._meta?.[cutMark()] === true) throw this.#tooLarge;
      return result;
    } catch (error) {
      signal?.throwIfAborted();
      throw callFailure(error, tool.name, this.server, this.#trouble);
    }
  }

  /** Why a server could not be used; while it is connected to, what was too large is the answer that was waited for. */
  #failure(error: unknown): StepweaveError {
    return this.#tooLarge ?? connectionFailure(error, this.server, this.#trouble);
  }

  #fits(longest: number, bytes: number): boolean {
    if (this.#room !== undefined) this.#room -= bytes;
    return longest <= this.#most && (this.#room ?? 0) >= 0;
  }

  #noteTooLarge(): StepweaveError {
    this.#tooLarge = new StepweaveError("limit", `the MCP server ${this.server.name} sent a message of more than ${this.#most} bytes, the limit of what is given at once`, {
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

/** Throws when nobody waits for a connection any more. */
function refuseGivenUp(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw isStepweaveError(signal.reason) ? signal.reason : new StepweaveError("cancelled", "the connection to the MCP server was given up", { cause: signal.reason });
}

/** The same, unless the signal comes before: the SDK heeds none while it asks which protocols a server speaks. */
async function unlessGivenUp(connecting: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return void (await connecting);
  let giveUp = (): void => {};
  const givenUp = new Promise<never>((_, reject) => {
    giveUp = () => reject(signal.reason);
    signal.addEventListener("abort", giveUp, { once: true });
  });
  try {
    await Promise.race([connecting, givenUp]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

function endless({ name }: ServerName): StepweaveError {
  return new StepweaveError("network", `the MCP server ${name} has a list of tools without an end`, { hint: "it led to more pages or tools than any server has; tell whoever runs it" });
}

async function sdk() {
  try {
    return await import("@modelcontextprotocol/client");
  } catch (error) {
    throw new StepweaveError("validation", "tools of MCP servers need the package @modelcontextprotocol/client", {
      cause: error,
      hint: "npm install @modelcontextprotocol/client",
    });
  }
}

function serverName(url: URL, headers: Readonly<Record<string, string>>, auth: Authorization | undefined): ServerName {
  const given = Object.values(headers).map(withoutScheme);
  const hidden = (): Hidden => [...given, ...(auth?.secrets() ?? [])].flatMap(formsOf).sort(longestFirst).map((form) => [form, "[hidden]"]);
  const hide = (text: string): string => withoutForms(text, hidden());
  // Whatever stands behind the path may be a key.
  return { name: `${url.origin}${url.pathname}`, hide };
}
