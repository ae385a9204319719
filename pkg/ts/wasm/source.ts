import { isStepweaveError, StepweaveError, textOf } from "../api/errors.js";
import { kindOf } from "../schema/options.js";
import { Instance } from "./instance.js";
import type { WasmModule } from "./module.js";

/** What the engine can be made of: bytes, a compiled module, an answer of `fetch`, or an address. */
export type WasmInput = ArrayBuffer | ArrayBufferView | WasmModule | Response | URL | string;

/** Brings the engine: it calls `load` with what that is made of, until that succeeds. */
export type Source = (load: (input: WasmInput) => Promise<void>) => Promise<void>;

let current: Instance | undefined;
let module: WebAssembly.Module | undefined;
let loading: Promise<void> | undefined;
let syncSource: (() => WebAssembly.Module | BufferSource) | undefined;
let asyncSource: Source | undefined;
let fallback: Source | undefined;

/** @internal Where an entry finds the engine at once. The first entry wins. */
export function setSource(source: () => WebAssembly.Module | BufferSource): void {
  syncSource ??= source;
}

/** @internal Where an entry finds the engine after a while. The first entry wins. */
export function setAsyncSource(source: Source): void {
  asyncSource ??= source;
}

/** @internal Where the engine is found when no entry says so that is one of its own. */
export function setFallback(source: Source): void {
  fallback ??= source;
}

/** @internal A living instance, if one can be had without waiting. */
export function instanceNow(): Instance | undefined {
  if (current !== undefined && !current.isDead) return current;
  if (module === undefined && syncSource !== undefined) {
    const source = syncSource;
    module = compiled(() => toModule(source()));
  }
  if (module === undefined) return undefined;
  const ready = module;
  current = compiled(() => new Instance(ready));
  return current;
}

/** @internal A living instance. */
export async function instanceLater(): Promise<Instance> {
  const now = instanceNow();
  if (now !== undefined) return now;
  await init();
  const later = instanceNow();
  if (later === undefined) throw notLoaded();
  return later;
}

/**
 * Loads the engine ahead of time. Only `stepweave/slim` needs it, with what the engine is to be made of;
 * everywhere else the first run loads the engine by itself.
 *
 * ```ts
 * import { init } from "stepweave/slim";
 * await init(fetch("/stepweave_bg.wasm"));
 * ```
 */
export async function init(input?: WasmInput | PromiseLike<WasmInput>): Promise<void> {
  if (module !== undefined) return;
  // A failure is forgotten, so that the next call tries again.
  loading ??= load(input).finally(() => {
    loading = undefined;
  });
  return loading;
}

/** @internal What is said when nothing has brought the engine. */
export function notLoaded(): StepweaveError {
  return new StepweaveError("internal", "the engine is not loaded yet", {
    hint:
      asyncSource === undefined
        ? 'load "stepweave" (or "stepweave/web", "stepweave/workerd") once, or call `await init(bytesOrModule)` from "stepweave/slim"'
        : "load it with `await init()`",
  });
}

async function load(input: WasmInput | PromiseLike<WasmInput> | undefined): Promise<void> {
  if (input === undefined && instanceNow() !== undefined) return;
  const source: Source | undefined = input === undefined ? (asyncSource ?? fallback) : async (load) => load(await input);
  if (source === undefined) throw notLoaded();
  try {
    await source(take);
  } catch (error) {
    // What the compiler did not refuse has not come: it is not there, or the network is not.
    throw isStepweaveError(error) ? error : isOfCompiler(error) ? refused(error) : missed(error);
  }
}

/** A policy that refuses wasm is an `EvalError` in some browsers. */
function isOfCompiler(error: unknown): boolean {
  const { name } = Object(error) as { name?: unknown };
  return name === "CompileError" || name === "EvalError";
}

async function take(input: WasmInput): Promise<void> {
  const made = await moduleOf(input);
  module ??= made;
}

async function moduleOf(input: WasmInput): Promise<WebAssembly.Module> {
  if (typeof input === "string" || isNamed(input, "URL")) input = await fetch(input as string | URL);
  return isNamed(input, "Response") ? fromResponse(input as Response) : fromMemory(input);
}

async function fromResponse(response: Response): Promise<WebAssembly.Module> {
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}`);
  // Compiling while it streams is refused when the server calls the file something else than wasm.
  if (response.headers.get("content-type")?.startsWith("application/wasm")) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

async function fromMemory(input: WasmInput): Promise<WebAssembly.Module> {
  if (isNamed(input, "WebAssembly.Module")) return input as WebAssembly.Module;
  if (ArrayBuffer.isView(input) || isNamed(input, "ArrayBuffer") || isNamed(input, "SharedArrayBuffer")) return WebAssembly.compile(input as unknown as BufferSource);
  throw new StepweaveError("validation", `the engine cannot be made of ${kindOf(input)}`, { hint: "pass bytes, a compiled module, a Response, or an address" });
}

function toModule(source: WebAssembly.Module | BufferSource): WebAssembly.Module {
  return isNamed(source, "WebAssembly.Module")
    ? (source as WebAssembly.Module)
    : new WebAssembly.Module(source as BufferSource);
}

/** By name and not by `instanceof`: some edge runtimes hand over modules of another realm. */
function isNamed(value: unknown, name: string): boolean {
  return Object.prototype.toString.call(value) === `[object ${name}]`;
}

function compiled<Made>(make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    throw refused(error);
  }
}

function refused(error: unknown): StepweaveError {
  return failed(
    error,
    "a page with a Content-Security-Policy must allow script-src 'wasm-unsafe-eval'; " +
      'a Worker on Cloudflare or an edge function must load "stepweave/workerd" or "stepweave/edge"',
  );
}

function missed(error: unknown): StepweaveError {
  return failed(error, "a file of the package did not come: serve all of them, with those that a bundler makes, and try again when the network is there");
}

function failed(cause: unknown, hint: string): StepweaveError {
  return new StepweaveError("internal", `the engine cannot be loaded: ${textOf(cause)}`, { cause, hint });
}
