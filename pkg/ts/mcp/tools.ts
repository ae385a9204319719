/// <reference lib="esnext.disposable" preserve="true" />
import { StepweaveError, textOf } from "../api/errors.js";
import type { ChatMessage, InputPart } from "../api/conversation.js";
import { isObject } from "../api/json.js";
import type { Fetch, Relay } from "../api/run.js";
import { tool, type Tool } from "../authoring/tool.js";
import { originOf } from "../effects/origin.js";
import { checkKeyGoesThrough, throughOf, type Through, viaRelay } from "../effects/through.js";
import { optionsFrom, reading, signalFrom } from "../schema/options.js";
import { askingTool } from "./asking.js";
import { Authorization, type McpAuth } from "./authorization.js";
import { checkable } from "./checkable.js";
import { Connection } from "./connection.js";
import { messageOf, partOfInput } from "./content.js";
import type { McpFetch } from "./guard.js";
import { refuseUnknownTools, safeNames } from "./names.js";
import { descriptionOf } from "./pin.js";
import { resultOf } from "./result.js";
import type { CallResult, McpAnnotations, McpPrompt, McpResource, McpTool } from "./shapes.js";

/** How {@link mcpTools} connects, and what it takes. */
export interface McpOptions {
  /** Sent with every request, to the server's own origin only: `{ authorization: "Bearer …" }`. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Lets in to a server that wants OAuth: what `clientCredentials()` or `signIn()` gives, for this very address. */
  auth?: McpAuth | undefined;
  /** Gives the connection up, also later: it is closed then. */
  signal?: AbortSignal | undefined;
  /** Replaces `globalThis.fetch`. */
  fetch?: McpFetch | undefined;
  /** What requests go through, as those of a run: `headers` and `auth` only with `secrets: true`. */
  relay?: Relay | undefined;
  /** The tools to take, by the names that the server gives them; all of them when absent. */
  include?: readonly string[] | ((name: string) => boolean | PromiseLike<boolean>) | undefined;
  /** What the names of the tools begin with here, so that those of several servers keep apart: `"github_"`. */
  prefix?: string | undefined;
  /** Milliseconds that the server may take for an answer; 60 000 when absent. */
  timeoutMs?: number | undefined;
  /** Bytes that one message of the server may have, such as the result of a call; 32 MB when absent. What is larger is not read. */
  maxResultBytes?: number | undefined;
  /** Which tools a person has to allow each time. */
  needsApproval?: ((name: string, annotations: McpAnnotations) => boolean) | undefined;
  /**
   * `true` lets a server of the protocol of 2026 ask people in the midst of a call: `pending` has what it asks, and the call
   * goes on with the answer, `{ action: "accept", content: { … } }`, or `decline`, or `cancel`. The tools are steps then,
   * whose result is `{ result }`.
   */
  elicitation?: boolean | undefined;
  /** Receives how far the server is with a call. */
  onProgress?: ((progress: McpProgress) => void) | undefined;
  /** `include` returns sounds and other files as base64. By default the model receives their type and size; images are sent to it. */
  binary?: "describe" | "include" | undefined;
}

/** How far a server is with a call. */
export interface McpProgress {
  /** The tool's name at the server. */
  readonly tool: string;
  readonly progress: number;
  /** What `progress` is when all is done, where the server knows. */
  readonly total?: number;
  readonly message?: string;
}

/** The tools of a server, what else it has, and the connection that they need. */
export interface McpTools extends AsyncDisposable {
  /** For the `tools` of an agent. */
  readonly tools: readonly Tool[];
  /** The prompts that the server has. */
  prompts(): Promise<readonly McpPrompt[]>;
  /** A prompt as a conversation: an agent's input. */
  prompt(name: string, args?: Readonly<Record<string, string>>): Promise<readonly ChatMessage[]>;
  /** The texts and files that the server has. */
  resources(): Promise<readonly McpResource[]>;
  /** A text or file, as parts of an agent's input. */
  resource(uri: string): Promise<readonly InputPart[]>;
  /** Ends the connection. */
  close(): Promise<void>;
}

const OPTIONS = ["headers", "auth", "signal", "fetch", "relay", "include", "prefix", "timeoutMs", "maxResultBytes", "needsApproval", "elicitation", "onProgress", "binary"];

/**
 * The tools of a Model Context Protocol server, over Streamable HTTP. It needs the package `@modelcontextprotocol/client`.
 *
 * ```ts
 * const github = await mcpTools("https://mcp.example.com/mcp", { headers: { authorization: `Bearer ${token}` }, prefix: "github_" });
 * const agent = new Agent({ name: "helper", model: openai("gpt-5-mini"), tools: [...github.tools] });
 * // … run it, then
 * await github.close();
 * ```
 */
export async function mcpTools(url: string | URL, options: McpOptions = {}): Promise<McpTools> {
  const how = optionsFrom(options, OPTIONS, "mcpTools()");
  const { connection, signal } = await connected(url, how, "mcpTools()");
  try {
    const tools = await toolsOf(connection, how);
    const close = (): Promise<void> => connection.close();
    signal?.addEventListener("abort", () => void close(), { once: true });
    return { tools, ...holdings(connection, signal), close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** A connection to a server, as the options of `call` say. */
export async function connected(url: string | URL, how: McpOptions, call: string): Promise<{ connection: Connection; address: URL; signal: AbortSignal | undefined }> {
  const { timeoutMs, maxResultBytes } = how;
  const headers = headersFrom(how.headers, call);
  const signal = signalFrom(how.signal);
  if (maxResultBytes !== undefined && !(Number.isSafeInteger(maxResultBytes) && maxResultBytes > 0)) {
    throw new StepweaveError("validation", `\`maxResultBytes\` of ${call} is ${textOf(maxResultBytes)}`, { hint: "write a whole number from 1 on, or leave it out" });
  }
  if (!reading(`\`include\` of ${call}`, () => isInclude(how.include))) {
    throw new StepweaveError("validation", `\`include\` of ${call} is neither names of tools nor a function`, { hint: 'write include: ["search"], or (name) => name.startsWith("search")' });
  }
  const address = addressOf(url, call);
  const auth = authFor(address, how.auth, call);
  const relay = reading(`the relay of ${call}`, () => throughOf(how.relay));
  // Any of the headers may be a key.
  if (auth !== undefined || Object.keys(headers).length > 0) checkKeyGoesThrough(relay, `of ${call}`, address.origin);
  return { connection: await Connection.open(address, { headers, auth, signal, fetch: relayed(relay, how.fetch), timeoutMs, maxResultBytes, session: "renewed" }), address, signal };
}

function isInclude(include: unknown): boolean {
  return include === undefined || typeof include === "function" || (Array.isArray(include) && include.every((name) => typeof name === "string"));
}

/** What sends to the server: through the relay, if there is one. */
function relayed(relay: Through | undefined, fetch: McpFetch | undefined): McpFetch | undefined {
  if (relay === undefined) return fetch;
  const send = (fetch ?? globalThis.fetch) as Fetch;
  return viaRelay(relay, send, send);
}

/** Headers, read once and seen to be texts by name. */
function headersFrom(given: McpOptions["headers"], call: string): Record<string, string> {
  if (given === undefined) return {};
  const what = `\`headers\` of ${call}`;
  return reading(what, () => {
    const entries = isObject(given) ? Object.entries(given) : undefined;
    if (entries?.every(([, value]) => typeof value === "string")) return Object.fromEntries(entries);
    throw new StepweaveError("validation", `${what} are no texts by name`, { hint: 'write { authorization: "Bearer …" }, or leave it out' });
  });
}

/** A token goes to the server for which it was given, and to no other one. */
function authFor({ href }: URL, auth: McpAuth | undefined, call: string): Authorization | undefined {
  if (auth === undefined) return undefined;
  if (!reading(`the option \`auth\` of ${call}`, () => auth instanceof Authorization)) throw new StepweaveError("validation", `the option \`auth\` of ${call} is none`, { hint: "pass what clientCredentials() or signIn() gives" });
  if (auth.server === href) return auth as Authorization;
  throw new StepweaveError("validation", `the option \`auth\` of ${call} belongs to another MCP server`, { hint: "its tokens are for the address that clientCredentials() or signIn() was called with" });
}

function addressOf(url: string | URL, call: string): URL {
  if (originOf(textOf(url)) === undefined) {
    throw new StepweaveError("validation", `${call} needs the http(s) address of a server, and ${textOf(url)} is none`, {
      hint: 'write mcpTools("https://mcp.example.com/mcp"); servers that are started as a command have to be given an HTTP address first',
    });
  }
  const address = new URL(url);
  if (address.username === "" && address.password === "") return address;
  throw new StepweaveError("validation", `the address of the MCP server at ${address.host} holds a name or a password`, {
    hint: "pass them as a header: mcpTools(url, { headers: { authorization: `Basic ${btoa(`${name}:${password}`)}` } })",
  });
}

/** The tools of a server that the options name. */
export async function wantedOf(connection: Connection, { include, signal }: McpOptions): Promise<readonly McpTool[]> {
  const found = await connection.list(async (client, how) => (await client.listTools({}, how)).tools, signal);
  if (Array.isArray(include)) refuseUnknownTools(include, found.map(({ name }) => name), connection.server.name);
  const isWanted = typeof include === "function" ? include : (name: string) => include?.includes(name) ?? true;
  // A tool that is listed twice is one.
  const taken = new Set<string>();
  const once = found.filter(({ name }) => !taken.has(name) && taken.add(name));
  const answers = await Promise.all(once.map(({ name }) => isWanted(name)));
  return once.filter((_, at) => answers[at]);
}

async function toolsOf(connection: Connection, options: McpOptions): Promise<readonly Tool[]> {
  const wanted = await wantedOf(connection, options);
  const names = safeNames(wanted.map(({ name }) => name), options.prefix ?? "");
  return Object.freeze(wanted.map((one) => toolFor(one, names.get(one.name) as string, connection, options)));
}

function toolFor(one: McpTool, name: string, connection: Connection, { needsApproval, elicitation, onProgress, binary = "describe" }: McpOptions): Tool {
  const { inputSchema, outputSchema, annotations = {} } = one;
  const calling = (signal: AbortSignal | undefined) => ({ signal, onProgress: onProgress && ((progress: unknown) => onProgress({ ...(progress as McpProgress), tool: one.name })) });
  const said = { name, description: descriptionOf(one), input: checkable(inputSchema), needsApproval: needsApproval === undefined ? false : decided(needsApproval(one.name, annotations), one.name) };
  const read = (result: CallResult): Promise<unknown> => resultOf(one, result, connection.server, binary);
  // What a person takes to answer is not the server's time, which each of its answers has by itself.
  if (elicitation === true && connection.mayAsk) return askingTool(said, { server: connection.server, ask: (call, signal) => connection.ask(one, call, calling(signal)), read });
  // How long the server may take is for the connection to say, since progress begins that anew.
  return tool({ ...said, output: outputSchema && checkable(outputSchema), execute: async (args, context) => read(await connection.call(one, args ?? {}, calling(context?.signal))) });
}

/** What a function says of a tool. An annotation that the server leaves out would be a no that nobody has said. */
function decided(said: boolean | undefined, tool: string): boolean {
  if (said !== undefined) return said;
  throw new StepweaveError("validation", `\`needsApproval\` of mcpTools() says nothing of the tool ${tool}`, { hint: "return true or false, as in (name, { readOnlyHint }) => readOnlyHint !== true" });
}

/** What a server has besides its tools. */
function holdings(connection: Connection, signal: AbortSignal | undefined): Pick<McpTools, "prompts" | "prompt" | "resources" | "resource"> {
  return {
    prompts: () => connection.list(async (client, how) => (await client.listPrompts({}, how)).prompts, signal),
    prompt: async (name, args) => {
      const { messages } = await connection.read((client, how) => client.getPrompt({ name, ...(args && { arguments: args }) }, how), signal);
      return messages.map(messageOf);
    },
    resources: () => connection.list(async (client, how) => (await client.listResources({}, how)).resources, signal),
    resource: async (uri) => {
      const { contents } = await connection.read((client, how) => client.readResource({ uri }, how), signal);
      return contents.map((resource) => partOfInput({ type: "resource", resource }));
    },
  };
}
