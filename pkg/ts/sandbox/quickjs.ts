/** An address in the interpreter's memory. */
export type Pointer = number;

/** What of QuickJS is used. The meaning of each function is documented in quickjs-emscripten's C interface. */
export interface QuickJS {
  callbacks: {
    callFunction(asyncify: undefined, context: Pointer, self: Pointer, count: number, values: Pointer, id: number): Pointer;
    shouldInterrupt(asyncify: undefined, runtime: Pointer): number;
    loadModuleSource(): Pointer;
    normalizeModule(): Pointer;
    freeHostRef(): void;
  };
  UTF8ToString(text: Pointer): string;
  _malloc(size: number): Pointer;
  _free(at: Pointer): void;
  _QTS_NewRuntime(): Pointer;
  _QTS_NewContext(runtime: Pointer, intrinsics: number): Pointer;
  _QTS_RuntimeSetMemoryLimit(runtime: Pointer, bytes: number): void;
  _QTS_RuntimeSetMaxStackSize(runtime: Pointer, bytes: number): void;
  _QTS_RuntimeEnableInterruptHandler(runtime: Pointer): void;
  _QTS_NewFunction(context: Pointer, name: Pointer, length: number, isConstructor: number, id: number): Pointer;
  _QTS_NewString(context: Pointer, text: Pointer): Pointer;
  _QTS_GetString(context: Pointer, value: Pointer): Pointer;
  _QTS_FreeCString(context: Pointer, text: Pointer): void;
  _QTS_GetUndefined(): Pointer;
  _QTS_Eval(context: Pointer, code: Pointer, length: number, name: Pointer, detectsModule: number, flags: number): Pointer;
  _QTS_Call(context: Pointer, callee: Pointer, self: Pointer, count: number, values: Pointer): Pointer;
  _QTS_ResolveException(context: Pointer, value: Pointer): Pointer;
  _QTS_ExecutePendingJob(runtime: Pointer, most: number, context: Pointer): Pointer;
}
