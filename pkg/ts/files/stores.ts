import { StepweaveError } from "../api/errors.js";
import type { ByteStore } from "../api/files.js";
import { bytesIn } from "../json/base64.js";
import { reading } from "../schema/options.js";

/**
 * Keeps bytes as long as the program runs.
 *
 * ```ts
 * const store = memoryBytes();
 * const files = await readFiles([new File(["# Bees"], "bees.md")], { store });
 * await workflow.run({ state: { files }, files: store });
 * ```
 */
export function memoryBytes(): ByteStore {
  const kept = new Map<string, Uint8Array>();
  return {
    async put(digest, bytes) {
      // A copy: whoever reads into the same buffer again changes nothing here.
      kept.set(digest, bytes.slice());
    },
    async get(digest) {
      return kept.get(digest)?.slice();
    },
  };
}

/** What {@link unstorageBytes} uses of an unstorage `Storage`. */
export interface RawStorage {
  getItemRaw(key: string): Promise<unknown>;
  setItemRaw(key: string, value: any): Promise<void>;
}

/**
 * Keeps bytes in any driver of [unstorage](https://unstorage.unjs.io): a folder, S3, R2, Cloudflare KV, IndexedDB, …
 *
 * ```ts
 * import { createStorage } from "unstorage";
 * import fs from "unstorage/drivers/fs";
 *
 * const store = unstorageBytes(createStorage({ driver: fs({ base: "./bytes" }) }));
 * ```
 */
export function unstorageBytes(storage: RawStorage): ByteStore {
  const has = (name: keyof RawStorage): boolean => typeof (Object(storage) as Partial<RawStorage>)[name] === "function";
  if (!reading("the storage of unstorageBytes()", () => has("getItemRaw") && has("setItemRaw"))) {
    throw new StepweaveError("validation", "unstorageBytes() needs a storage of unstorage", { hint: "pass what createStorage() gives" });
  }
  return {
    put: (digest, bytes) => storage.setItemRaw(digest, bytes),
    async get(digest) {
      // Drivers give what their platform has: a Buffer, an ArrayBuffer, a view of one.
      return bytesIn(await storage.getItemRaw(digest));
    },
  };
}
