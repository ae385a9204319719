import { isStepweaveError, StepweaveError, textOf } from "../api/errors.js";

/** Another run was faster. */
export function conflict(id: string, held: number, expected: number): StepweaveError {
  return new StepweaveError(
    "conflict",
    `another run has continued the journal \`${id}\`: it holds ${entriesIn(held)} where this run expected ${entriesIn(expected)}`,
    { hint: "leave the journal to that run, or resume it once that run has ended; two runs cannot continue one journal at the same time" },
  );
}

/** Whether a store refuses entries because another run has continued the journal. */
export function isConflict(error: unknown): error is StepweaveError {
  return isStepweaveError(error) && error.code === "conflict";
}

// The errors that say of one journal that it is damaged, and nothing of the others beside it.
const damages = new WeakSet<object>();

/** What is stored, or given, is not a journal as it was written. */
export function damaged(place: string, fault: string, hint: string): StepweaveError {
  const error = new StepweaveError("validation", `${place} ${fault}`, { hint });
  damages.add(error);
  return error;
}

/** What is found of a journal; nothing where it is damaged. A list has the others all the same, and whoever loads it is told. */
export async function unlessDamaged<Found>(find: () => Promise<Found>): Promise<Found | undefined> {
  try {
    return await find();
  } catch (error) {
    if (damages.has(error as object)) return undefined;
    throw error;
  }
}

/** The storage of journals does not work. */
export function unusable(what: string, cause: unknown, hint: string): StepweaveError {
  return new StepweaveError("validation", `${what}: ${textOf(cause)}`, { cause, hint });
}

function entriesIn(count: number): string {
  return count === 1 ? "1 entry" : `${count} entries`;
}
