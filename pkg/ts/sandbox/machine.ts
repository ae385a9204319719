import guestText from "#guest";
import createQuickJS from "#quickjs";
import type { Limits } from "./limits.js";
import type { Pointer, QuickJS } from "./quickjs.js";

/** Which limit was met. */
export type Exhausted = "instructions" | "memoryBytes" | "stackBytes" | "output" | "log" | "logLines";

/** The code had to be stopped. */
export class Stopped extends Error {
  constructor(readonly by: Exhausted) {
    super(by);
  }
}

/** How many lines the code of one step may log. */
export const MAX_LOG_LINES = 1000;

/** The stack of the C program, which lies below its heap; before it are its variables. The build checks it. */
const STACK_BYTES = 5 * 2 ** 20;
/** The memory of a machine before anything ran, in pages of 64 KiB, and the most that it may ever have. */
const FIRST_PAGES = 128;
const MOST_PAGES = 10_240;
const PAGE_BYTES = 65_536;
/** How much longer a stopped run may continue before it is cut off. */
const GRACE = 20_000_000n;
/** What a page of memory costs, also one that is refused. */
const GROWTH_COST = 4096n;
/** Signals to the interpreter that there is no more memory. Made once, since a loop may need it a million times. */
const FULL = new RangeError("the limit of memory is reached");
const UNCOUNTED = 2n ** 62n;
/** What saying how a run ended may take beyond the memory that the code was given, and the stack for it. */
const RESERVE_BYTES = 2 ** 20;
const GUEST_STACK_BYTES = 2 ** 19;

/** What code is to return: the keys of a state to change, or anything that JSON holds. */
export type Wanted = "patch" | "value";

/** What is in a machine's memory when it is ready for its first run. */
export interface Image {
  readonly runtime: Pointer;
  readonly context: Pointer;
  readonly guest: Pointer;
  readonly variables: Uint8Array;
  readonly heap: Uint8Array;
}

/**
 * One instance of the interpreter. Every run begins with the same image in its memory: nothing that a run leaves
 * behind is there in the next one, and equal runs take equal steps.
 */
export class Machine {
  /** The image, for the next machine of the same module. */
  readonly image: Image;
  readonly #memory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: MOST_PAGES });
  readonly #quickjs: QuickJS;
  readonly #allowance: WebAssembly.Global<"i64">;
  readonly #runtime: Pointer;
  readonly #context: Pointer;
  readonly #guest: Pointer;
  readonly #heapStart: number;
  #mostHeapBytes = Infinity;
  #isOver = false;
  #isFull = false;
  #lines: string[] = [];
  #lineBytes = 0;
  #mostLineBytes = 0;

  constructor(module: WebAssembly.Module, image?: Image) {
    this.#boundMemory();
    const { quickjs, exports } = this.#instantiate(module);
    this.#quickjs = quickjs;
    this.#allowance = exports.allowance;
    this.#heapStart = exports.stack.value;
    this.#runtime = image?.runtime ?? quickjs._QTS_NewRuntime();
    this.#context = image?.context ?? quickjs._QTS_NewContext(this.#runtime, 0);
    this.#guest = image?.guest ?? this.#newGuest();
    this.image = image ?? this.#takeImage();
  }

  /** Whether its memory has grown, which cannot be undone: a run in it would have more than in a fresh one. */
  get hasGrown(): boolean {
    return this.#memory.buffer.byteLength > FIRST_PAGES * PAGE_BYTES;
  }

  /** What the last run has logged. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  /**
   * Runs the code over a state given as JSON, for a patch or any value, and gives the guest's word of how it ended.
   * Throws {@link Stopped}, or, when the machine itself has broken, what broke it.
   */
  run(wanted: Wanted, code: string, state: string, limits: Limits): string {
    this.#restore();
    this.#lines = [];
    this.#lineBytes = 0;
    this.#mostLineBytes = limits.outputBytes;
    this.#grant(limits.memoryBytes, GUEST_STACK_BYTES);
    // Bringing the state is no work of the code's.
    this.#allowance.value = UNCOUNTED;
    const given = this.#call(this.#guest, this.#string("state"), this.#string(state));
    if (this.#failureOf(given) !== 0) throw new Stopped("memoryBytes");
    this.#allowance.value = BigInt(limits.instructions) + GRACE;
    this.#grant(limits.memoryBytes, limits.stackBytes);
    // The lines of the code begin with the second one.
    const compiled = this.#evaluate(`(async function (state, ctx) { "use strict";\n${code}\n})`, "code");
    const failure = this.#failureOf(compiled);
    if (failure !== 0) return this.#word("describe", failure);
    const begun = this.#failureOf(this.#call(this.#guest, this.#string(wanted), compiled, given));
    if (begun !== 0) return this.#word("describe", begun);
    this.#made(this.#quickjs._QTS_ExecutePendingJob(this.#runtime, -1, this.#allocate(4)));
    this.#grant(limits.memoryBytes + RESERVE_BYTES, Math.max(limits.stackBytes, GUEST_STACK_BYTES));
    const word = this.#word("end");
    // A job that found no memory has ended without a word, and with it what waits for it.
    if (word === "w" && this.#isFull) throw new Stopped("memoryBytes");
    if (new TextEncoder().encode(word).length > limits.outputBytes) throw new Stopped("output");
    return word;
  }

  /** What has been used up when the machine broke, if it was that. */
  stoppedBy(thrown: unknown): Stopped | undefined {
    const met = this.#met();
    if (met !== undefined) return new Stopped(met);
    if (this.#isFull) return new Stopped("memoryBytes");
    // The host's own stack is exhausted.
    const { name } = thrown as { name?: unknown };
    return name === "RangeError" || name === "InternalError" ? new Stopped("stackBytes") : undefined;
  }

  /** The interpreter counts too little of what it holds, so it is its memory's growth that is bounded. */
  #boundMemory(): void {
    const { grow } = this.#memory;
    this.#memory.grow = (pages) => {
      const bytes = this.#memory.buffer.byteLength + pages * PAGE_BYTES - this.#heapStart;
      this.#isFull = bytes > this.#mostHeapBytes;
      // The interpreter does not count what the host does for it, which takes longer than its own steps.
      this.#allowance.value -= GROWTH_COST * BigInt(this.#isFull ? 1 : pages);
      if (this.#isFull) throw FULL;
      return grow.call(this.#memory, pages);
    };
  }

  #newGuest(): Pointer {
    this.#quickjs._QTS_RuntimeEnableInterruptHandler(this.#runtime);
    const log = this.#quickjs._QTS_NewFunction(this.#context, this.#bytes("log").at, 1, 0, 1);
    return this.#call(this.#evaluate(guestText, "stepweave"), log);
  }

  #takeImage(): Image {
    const memory = new Uint8Array(this.#memory.buffer);
    return {
      runtime: this.#runtime,
      context: this.#context,
      guest: this.#guest,
      variables: memory.slice(0, this.#heapStart - STACK_BYTES),
      heap: memory.slice(this.#heapStart),
    };
  }

  #instantiate(module: WebAssembly.Module): { quickjs: QuickJS; exports: { allowance: WebAssembly.Global<"i64">; stack: WebAssembly.Global } } {
    const made: { exports?: unknown } = {};
    const quickjs = createQuickJS({
      wasmMemory: this.#memory,
      instantiateWasm: (imports) => {
        const instance = new WebAssembly.Instance(module, imports);
        made.exports = instance.exports;
        return instance;
      },
      print: () => {},
      printErr: () => {},
    });
    quickjs.callbacks = {
      callFunction: (_, context, __, ___, values) => this.#take(context, values),
      shouldInterrupt: () => this.#isUsedUp(),
      loadModuleSource: () => 0,
      normalizeModule: () => 0,
      freeHostRef: () => {},
    };
    return { quickjs, exports: made.exports as { allowance: WebAssembly.Global<"i64">; stack: WebAssembly.Global } };
  }

  #grant(memoryBytes: number, stackBytes: number): void {
    this.#mostHeapBytes = memoryBytes;
    this.#quickjs._QTS_RuntimeSetMemoryLimit(this.#runtime, memoryBytes);
    this.#quickjs._QTS_RuntimeSetMaxStackSize(this.#runtime, stackBytes);
  }

  #restore(): void {
    this.#isOver = false;
    this.#isFull = false;
    const { variables, heap } = this.image;
    const memory = new Uint8Array(this.#memory.buffer);
    memory.set(variables);
    memory.set(heap, this.#heapStart);
    // Where it has grown, if this is one more run before the machine is discarded.
    memory.fill(0, this.#heapStart + heap.length);
  }

  /** The interpreter calls this now and then, to learn whether to continue. */
  #isUsedUp(): number {
    if (!this.#isOver && this.#allowance.value >= GRACE) return 0;
    this.#isOver = true;
    return 1;
  }

  /** The guest logs a line, as JSON. It is kept until the run is over: nobody is to be called in the middle of one. */
  #take(context: Pointer, line: Pointer): Pointer {
    const text = this.#isOver ? 0 : this.#quickjs._QTS_GetString(context, line);
    if (text === 0) return 0;
    this.#lines.push(JSON.parse(this.#quickjs.UTF8ToString(text)) as string);
    this.#quickjs._QTS_FreeCString(context, text);
    this.#lineBytes += this.#lines.at(-1)?.length ?? 0;
    if (this.#lines.length > MAX_LOG_LINES || this.#lineBytes > this.#mostLineBytes) this.#isOver = true;
    return 0;
  }

  /** The limit because of which the code has been stopped. */
  #met(): Exhausted | undefined {
    if (this.#lines.length > MAX_LOG_LINES) return "logLines";
    if (this.#lineBytes > this.#mostLineBytes) return "log";
    return this.#isUsedUp() ? "instructions" : undefined;
  }

  /** The interpreter's result, if the code has not been stopped and there was memory for it. */
  #made(value: Pointer): Pointer {
    const met = this.#met();
    if (met !== undefined) throw new Stopped(met);
    if (value === 0) throw new Stopped("memoryBytes");
    return value;
  }

  /** Has the guest say how the run ended. */
  #word(order: string, value?: Pointer): string {
    const answer = this.#call(this.#guest, this.#string(order), ...(value === undefined ? [] : [value]));
    const failure = this.#failureOf(answer);
    const text = this.#quickjs._QTS_GetString(this.#context, failure === 0 ? answer : failure);
    // There is no memory left to say it.
    if (text === 0 || (this.#isFull && failure !== 0)) throw new Stopped("memoryBytes");
    const word = this.#quickjs.UTF8ToString(text);
    // When there is no memory for an error either, null is thrown instead of one.
    if (this.#isFull && word.endsWith('{"thrown":"null"}')) throw new Stopped("memoryBytes");
    return failure === 0 ? word : `e${JSON.stringify({ thrown: word })}`;
  }

  #call(callee: Pointer, ...values: Pointer[]): Pointer {
    const list = this.#allocate(values.length * 4);
    new Uint32Array(this.#memory.buffer).set(values, list / 4);
    const self = this.#quickjs._QTS_GetUndefined();
    return this.#made(this.#quickjs._QTS_Call(this.#context, callee, self, values.length, list));
  }

  #evaluate(code: string, name: string): Pointer {
    const { at, length } = this.#bytes(code);
    return this.#made(this.#quickjs._QTS_Eval(this.#context, at, length, this.#bytes(name).at, 0, 0));
  }

  /** What a value stands for that is no value but a failure, else 0. */
  #failureOf(value: Pointer): Pointer {
    return this.#quickjs._QTS_ResolveException(this.#context, value);
  }

  #string(text: string): Pointer {
    const { at } = this.#bytes(text);
    const value = this.#quickjs._QTS_NewString(this.#context, at);
    this.#quickjs._free(at);
    return this.#made(value);
  }

  #bytes(text: string): { at: Pointer; length: number } {
    const bytes = new TextEncoder().encode(text);
    const at = this.#allocate(bytes.length + 1);
    const memory = new Uint8Array(this.#memory.buffer);
    memory.set(bytes, at);
    memory[at + bytes.length] = 0;
    return { at, length: bytes.length };
  }

  #allocate(size: number): Pointer {
    const at = this.#quickjs._malloc(size);
    if (at === 0) throw new Stopped("memoryBytes");
    return at;
  }
}
