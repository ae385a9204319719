// Every store that runs where these tests do: a place is where journals are kept, and `open()` gives a store over it.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStore, unstorageStore } from "stepweave/stores";
import { fileStore } from "stepweave/stores/node";
import { createStorage } from "unstorage";
import fsDriver from "unstorage/drivers/fs";
import memoryDriver from "unstorage/drivers/memory";

/** A folder of the test's own. */
export async function folder() {
  const path = await mkdtemp(join(tmpdir(), "stepweave-stores-"));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

export const places = {
  async memory() {
    const store = memoryStore();
    return { open: () => store };
  },
  async file() {
    const { path, remove } = await folder();
    // A folder that is not there yet.
    return { open: () => fileStore(join(path, "some", "where")), remove };
  },
  async "unstorage in memory"() {
    const storage = createStorage({ driver: memoryDriver() });
    return { open: () => unstorageStore(storage) };
  },
  async "unstorage in a folder"() {
    const { path, remove } = await folder();
    const storage = createStorage({ driver: fsDriver({ base: path }) });
    return { open: () => unstorageStore(storage, { prefix: "my:runs" }), remove };
  },
};
