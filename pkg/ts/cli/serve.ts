/// <reference types="node" />
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { textOf } from "../api/errors.js";
import { bearer, MIN_TOKEN } from "../http/bearer.js";
import { handler, type HttpHandler } from "../http/handler.js";
import { poller } from "../http/poller.js";
import type { JournalStore } from "../api/journal.js";
import { memoryStore } from "../journal/memory.js";
import { misused } from "./arguments.js";
import { Builder } from "./builder.js";
import type { Command } from "./command.js";
import { documentFile, refuseBroken, workflowOf } from "./document.js";
import { EXIT } from "./exit.js";
import { flagged } from "./flagged.js";
import type { Io } from "./io.js";
import { BOUND_FLAGS, boundsFrom, JOURNAL_FLAG, storeFrom } from "./run-flags.js";
import { serverOf } from "./server.js";
import { shownError } from "./shown.js";

/** How long a stop waits for what goes on, in milliseconds. */
const STOPPING = 2000;

const LOOPBACK = ["127.0.0.1", "localhost", "::1"];

/** `stepweave serve`. */
export const serve: Command = {
  name: "serve",
  about: "serves a document over HTTP, on this machine alone unless it has a token",
  places: ["<file.json>"],
  flags: {
    port: { value: "number", about: "the port; 8787 otherwise, and 0 is any that is free" },
    host: { value: "address", about: "the address to listen on; 127.0.0.1 otherwise. Any other needs --token" },
    name: { value: "host", multiple: true, about: "another name under which requests are accepted, such as flows.example.com" },
    token: { value: "NAME", about: "the variable of the environment with the token that callers send as Authorization: Bearer" },
    builder: { about: "serves the builder too, which opens the document; it is in the package stepweave-builder, and for this machine alone" },
    ...JOURNAL_FLAG,
    ...BOUND_FLAGS,
  },
  example: "stepweave serve support.json --secret OPENAI_API_KEY --journal ./journals",
  run: async (given, io) => {
    const port = Number(given.one("port") ?? 8787);
    if (!Number.isInteger(port) || port < 0 || port > 65535) throw misused(`--port is ${JSON.stringify(given.one("port"))}`, "write a number from 0 to 65535");
    const host = given.one("host") ?? "127.0.0.1";
    const token = tokenFrom(given.one("token"), io);
    if (token === undefined && !LOOPBACK.includes(host)) throw misused(`--host ${host} lets other machines call, and nothing says who may`, "write --token NAME, the variable of the environment with a long random token");
    if (given.has("builder") && !LOOPBACK.includes(host)) throw misused(`--builder and --host ${host} do not go together`, "the builder has no token to ask for: leave --host out, or --builder");
    const file = await documentFile(given.positionals[0] as string);
    await refuseBroken(file);
    const workflow = await workflowOf(file, given);
    const builder = given.has("builder") ? await Builder.find(file) : undefined;
    const store = storeFrom(given) ?? memoryStore();
    const options = {
      ...(token === undefined ? { public: true } : { authorize: bearer({ caller: token }) }),
      store,
      run: boundsFrom(given, io),
      onError: (error: unknown) => void io.stderr.write(shownError(error)),
    };
    // Names are known with the port: a site whose name is made to lead here is not answered.
    return listening({ port, host, store, builder, handlerFor: (own) => handler(workflow, { ...options, hosts: [...given.all("name"), ...own] }) }, file.path, io);
  },
};

function tokenFrom(name: string | undefined, io: Pick<Io, "variable">): string | undefined {
  if (name === undefined) return undefined;
  const token = io.variable(name);
  if (token === undefined || token === "") throw misused(`the environment has no variable ${JSON.stringify(name)}`, "set it to a long random text: --token takes the name of a variable, not the token");
  if (token.length < MIN_TOKEN) throw misused(`the variable ${JSON.stringify(name)} has a token that is shorter than ${MIN_TOKEN} characters`, "set it to a long random text, for example with `openssl rand -hex 32`: whoever has it can start runs");
  return token;
}

/** What the border of the server refuses, in the words of the flags that open it. */
async function refusedHere(response: Response): Promise<Response> {
  if (response.status !== 421 && response.status !== 403) return response;
  return new Response(flagged(await response.text()), response);
}

interface Listening {
  readonly port: number;
  readonly host: string;
  readonly store: JournalStore;
  readonly builder: Builder | undefined;
  /** What answers under these names. */
  handlerFor(hosts: readonly string[]): HttpHandler;
}

/** Listens until it is interrupted. */
async function listening({ port, host, store, builder, handlerFor }: Listening, path: string, { stdout, stderr, onInterrupt }: Io): Promise<number> {
  let handle: HttpHandler | undefined;
  let names: readonly string[] = [];
  const server = serverOf(
    async (request) => {
      if (handle === undefined) return new Response(null, { status: 503 });
      const page = names.includes(new URL(request.url).host) ? await builder?.answer(request) : undefined;
      return page ?? refusedHere(await handle(request));
    },
    (error) => void stderr.write(shownError(error)),
  );
  try {
    await once(server.listen(port, host), "listening");
  } catch (error) {
    const isTaken = (error as { code?: unknown }).code === "EADDRINUSE";
    throw misused(`the port ${port} of ${host} cannot be used: ${textOf(error)}`, isTaken ? "something else listens there; write --port with another number, or 0 for any that is free" : "write --port and --host with others");
  }
  const actual = (server.address() as AddressInfo).port;
  const own = host.includes(":") ? `[${host}]` : host;
  names = [...new Set([own, ...(LOOPBACK.includes(host) ? ["localhost", "127.0.0.1"] : [])])].map((name) => (actual === 80 ? name : `${name}:${actual}`));
  handle = handlerFor(names);
  const origin = `http://${own}:${actual}`;
  stdout.write(`${path} is served at ${origin}; POST its input to /runs, and /openapi.json describes the rest\n`);
  if (builder !== undefined) stdout.write(`the builder opens a copy of it at ${builder.address(origin)}\n`);
  // Runs that wait for a time go on by themselves, also those of a folder that an earlier process began.
  const waking = poller(handle, { store, lease: `stepweave serve ${path}`, onError: (error) => void stderr.write(shownError(error)) });
  await new Promise<void>((resolve) => onInterrupt(resolve));
  server.close();
  server.closeAllConnections();
  // A run that goes on has its journal: whoever stops the server does not wait for it.
  await Promise.race([waking.stop(), setTimeout(STOPPING)]);
  return EXIT.done;
}
