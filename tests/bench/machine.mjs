import { cpus } from "node:os";

/** Where something is measured. */
export function machine() {
  const { node, v8 } = process.versions;
  return { node, v8, system: `${process.platform} ${process.arch}`, processor: cpus()[0]?.model ?? "unknown processor" };
}
