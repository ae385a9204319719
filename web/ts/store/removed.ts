// Versions that were removed, and can be brought back as long as the page is there.
import { all, type Database, type Version } from "./database.js";

const removed: Version[] = [];

/** Removes a version; whether it could. */
export async function remove(database: Database | undefined, workflow: string, number: number): Promise<boolean> {
  try {
    const transaction = database?.transaction("versions", "readwrite");
    const version = await transaction?.store.get([workflow, number]);
    if (transaction === undefined || version === undefined) return false;
    void transaction.store.delete([workflow, number]);
    await transaction.done;
    removed.push(version);
    return true;
  } catch {
    return false;
  }
}

/** Brings the version back that was removed last of a workflow: in its place, or as the newest one where another has that by now. */
export async function restore(database: Database | undefined, workflow: string): Promise<boolean> {
  const at = removed.findLastIndex((version) => version.workflow === workflow);
  const version = removed[at];
  try {
    const transaction = database?.transaction("versions", "readwrite");
    if (transaction === undefined || version === undefined) return false;
    const { store } = transaction;
    const isFree = (await store.get([workflow, version.number])) === undefined;
    const newest = (await store.openCursor(all(workflow), "prev"))?.value.number ?? 0;
    void store.add(isFree ? version : { ...version, number: newest + 1 });
    await transaction.done;
    removed.splice(at, 1);
    return true;
  } catch {
    return false;
  }
}
