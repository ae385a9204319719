// arktype's types name this module of Node. Nothing else of Node's types may be within reach of these tests.
declare module "buffer" {
  export const File: typeof globalThis.File;
}
