import { isStepweaveError, StepweaveError, type ErrorCode } from "../api/errors.js";
import { originOf } from "../effects/origin.js";
import { privately } from "../effects/page.js";
import { senderTo } from "../effects/reach.js";
import { isRenewed } from "../effects/renewal.js";
import type { Bounds } from "../effects/sending.js";
import { checkKeyGoesThrough, viaRelay } from "../effects/through.js";
import { traceHeaders } from "../effects/trace.js";
import type { McpServers, OpenServers, PinnedTool, ServerAnswer, ServerAsked } from "../run/servers.js";
import { answered, called, type Asking, type AskingServer, type Talk } from "./asking.js";
import { Connection } from "./connection.js";
import type { McpFetch } from "./guard.js";
import { pinnedTool } from "./pin.js";
import { resultOf } from "./result.js";
import type { Elicited, McpTool } from "./shapes.js";

/** A server that sends a word now and then keeps nobody for longer. */
const LONGEST_MS = 600_000;

/**
 * What calls the MCP servers that documents name. Runs find it by themselves; programs that are bundled import
 * `stepweave/mcp`, or pass `serve({ mcp: () => import("stepweave/mcp") })` in a worker.
 */
export const mcpServers: McpServers = { open: (bounds) => new Servers(bounds) };

/** A server that is connected to, and what it had to offer then. */
interface Met {
  readonly connection: Connection;
  readonly tools: readonly McpTool[];
}

/** The servers of one run: each is connected to once, and its tools are read once. */
class Servers implements OpenServers {
  readonly #bounds: Bounds & { readonly maxBytes: number };
  readonly #met = new Map<string, Promise<Met>>();
  readonly #over = new AbortController();

  constructor(bounds: Bounds & { readonly maxBytes: number }) {
    this.#bounds = bounds;
  }

  async call(tool: PinnedTool, { input, talk, answer }: ServerAsked, given: AbortSignal): Promise<ServerAnswer> {
    const limit = new Limit(given, tool);
    let met: Met | undefined;
    try {
      met = await limit.broken(this.#meet(tool));
      const { connection, tools } = met;
      const found = await pinnedTool(tool, tools, connection.server);
      const { signal } = limit;
      const calling = { signal, onProgress: undefined };
      const read: AskingServer["read"] = (result) => resultOf(found, result, connection.server, "describe");
      // Nothing says to a server of an earlier protocol that people can be asked.
      if (tool.elicitation !== true || !connection.mayAsk) return { result: await read(await connection.call(found, input, calling)) };
      const server: AskingServer = { server: connection.server, ask: (call) => connection.ask(found, call, calling), read };
      if (talk === undefined) return answerOf(await called(server, { args: input }, signal));
      return answerOf(await answered(server, { mcp_call: talk as Talk, person_output: answer as Elicited }, signal));
    } catch (error) {
      if (met?.connection.isForgotten === true) this.#forget(tool, met);
      throw inDocument(error, tool);
    } finally {
      limit.end();
    }
  }

  close(): void {
    this.#over.abort();
    for (const met of this.#met.values()) met.then(({ connection }) => connection.close()).catch(() => {});
    this.#met.clear();
  }

  /** A server that was started again may have other tools: the next call looks at them as the first one did. */
  #forget(tool: PinnedTool, over: Met): void {
    const key = keyOf(tool);
    const known = this.#met.get(key);
    // Another call may have connected anew by now.
    void known?.then((met) => met === over && this.#met.get(key) === known && this.#met.delete(key));
    over.connection.close().catch(() => {});
  }

  #meet(tool: PinnedTool): Promise<Met> {
    const key = keyOf(tool);
    const known = this.#met.get(key);
    if (known !== undefined) return known;
    const met = this.#connect(tool);
    this.#met.set(key, met);
    // A failure is forgotten, so that the next call tries again.
    met.catch(() => this.#met.delete(key));
    return met;
  }

  async #connect({ url, auth }: PinnedTool): Promise<Met> {
    const { maxBytes } = this.#bounds;
    const { signal } = this.#over;
    const connection = await Connection.open(new URL(url), { headers: this.#headers(url, auth), auth: undefined, signal, fetch: this.#fetch(auth), timeoutMs: undefined, maxResultBytes: maxBytes, session: "one" });
    try {
      return { connection, tools: await connection.list(async (client, how) => (await client.listTools({}, how)).tools, signal) };
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /** The headers with the secret, which goes to its own origins and nowhere else. */
  #headers(url: string, auth: PinnedTool["auth"]): Record<string, string> {
    if (auth === undefined) return {};
    const [name, value, prefix] = "bearer" in auth ? ["authorization", auth.bearer, "Bearer "] : [auth.header.name.toLowerCase(), auth.header.value, ""];
    return { [name]: prefix + this.#bounds.secrets.valueFor(value.secret, url, "the `url` of the MCP server") };
  }

  /** Sends as the requests of the document are sent: only to where the run may send anything, and through its relay. */
  #fetch(auth: PinnedTool["auth"]): McpFetch {
    const { reach, fetch, trace } = this.#bounds;
    const secret = auth && ("bearer" in auth ? auth.bearer : auth.header.value).secret;
    return async (url, init) => {
      const straight = await senderTo(url, reach, fetch);
      const relay = await this.#bounds.relay();
      if (secret !== undefined) checkKeyGoesThrough(relay, secret, originOf(url) ?? url);
      const send = viaRelay(relay, straight, fetch);
      // The secret may have another value by now than when the connection was made.
      const sent = (own: Record<string, string>): PromiseLike<Response> => {
        const headers = new Headers(init.headers);
        for (const [name, value] of Object.entries({ ...own, ...(relay === undefined && traceHeaders(trace, originOf(url))) })) headers.set(name, value);
        return send(url, { ...init, headers: Object.fromEntries(headers), ...privately() });
      };
      const refused = secret === undefined ? "" : this.#bounds.secrets.valueFor(secret, url);
      const answer = await sent(this.#headers(url, auth));
      if (answer.status !== 401 || secret === undefined || !(await isRenewed(this.#bounds.secrets, secret, refused))) return answer;
      await answer.body?.cancel();
      init.signal?.throwIfAborted();
      return sent(this.#headers(url, auth));
    };
  }
}

function answerOf({ mcp_call: talk, mcp_result: result }: Asking): ServerAnswer {
  return talk?.isAsking === true ? { talk } : { result: result ?? null };
}

/** The longest that a call may take, whatever else bounds it. */
class Limit {
  readonly #controller = new AbortController();
  readonly #given: AbortSignal;
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #giveUp = (): void => this.#controller.abort(this.#given.reason);

  constructor(given: AbortSignal, { tool, url }: PinnedTool) {
    this.#given = given;
    given.addEventListener("abort", this.#giveUp, { once: true });
    const late = new StepweaveError("timeout", `the tool ${tool} of the MCP server ${url} has not ended within ${LONGEST_MS / 60_000} minutes`, { hint: "call for something that ends", retryable: false });
    this.#timer = setTimeout(() => this.#controller.abort(late), LONGEST_MS);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The same, unless the time is over before: what others wait for too goes on without this call. */
  broken<Value>(promise: Promise<Value>): Promise<Value> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      promise.then(resolve, reject);
    });
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#given.removeEventListener("abort", this.#giveUp);
  }
}

/** What helps where the tool stands in a document, and no options are at hand. */
const HINTS: Partial<Record<ErrorCode, (tool: PinnedTool) => string>> = {
  auth: ({ name, auth }) => (auth === undefined ? `name a secret in \`tools.${name}.run.mcp.auth\`, and pass it where the run starts` : "check the value of its secret where the run starts; a token that a person signed in for may be over"),
  timeout: () => "try again; or take a server that answers sooner",
  limit: () => "let the tool give less, or raise `limits.maxResultBytes`",
};

/** What tells connections apart. */
function keyOf({ url, auth }: PinnedTool): string {
  return JSON.stringify([url, auth]);
}

function inDocument(error: unknown, tool: PinnedTool): unknown {
  if (!isStepweaveError(error) || error.hint?.includes("mcpTools()") !== true) return error;
  const { code, message, cause, retryable } = error;
  return new StepweaveError(code, message, { cause, retryable, hint: HINTS[code]?.(tool) });
}
