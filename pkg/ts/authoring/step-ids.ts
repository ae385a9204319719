/** The longest id: functions are called after it, and the validator takes names of 200 characters. Of a longer one so much is shown. */
const MAX_LENGTH = 180;
const SHOWN = 150;

/** The engine's names for the checks of the workflow itself, and for the blocks of a step. */
const RESERVED = /^(?:workflow|else|expired|default|case\d+)$/;

/**
 * The ids of steps written in TypeScript, which journals refer to. So that a step keeps its id when others are added and
 * removed around it, that is the explicit one, else its name if the block has it once. Steps of the same name have their
 * position among those and their number: if one more is added, none is taken for another.
 *
 * `within` is the id of what holds the block, with a full stop; `taken` are the ids that are written out somewhere.
 */
export function idsOf(steps: readonly unknown[], within: string, taken: ReadonlySet<string>): string[] {
  const names = steps.map(plainName);
  const namesakes = new Map<string, number>();
  for (const name of names) namesakes.set(name, (namesakes.get(name) ?? 0) + 1);
  const places = new Map<string, number>();
  return steps.map((step, index) => {
    const name = names[index] as string;
    const place = (places.get(name) ?? 0) + 1;
    places.set(name, place);
    const { id } = (step ?? {}) as { id?: unknown };
    if (typeof id === "string") return id;
    const plain = shortened(within + name);
    if (namesakes.get(name) === 1 && !RESERVED.test(name) && !taken.has(plain)) return plain;
    let own = shortened(`${within}${name}~${place}of${namesakes.get(name)}`);
    while (taken.has(own)) own += "~";
    return own;
  });
}

/** The ids that are written out in a list of steps, and in those. `inner` gives the steps of a workflow that is a step. */
export function explicitIds(steps: unknown, inner: (workflow: unknown) => unknown): Set<string> {
  const ids = new Set<string>();
  const seen = new Set<object>();
  const open: unknown[] = [steps];
  // Whatever holds steps is looked at once, so that a step that contains itself ends it.
  for (let held = open.pop(); held !== undefined; held = open.pop()) {
    if (typeof held !== "object" || held === null || seen.has(held)) continue;
    seen.add(held);
    if (Array.isArray(held)) {
      for (const step of held) open.push(step ?? null);
      continue;
    }
    const step = held as Record<string, unknown>;
    if (typeof step.id === "string") ids.add(step.id);
    for (const key of ["steps", "else", "expired", "parallel", "cases", "default"]) open.push(step[key] ?? null);
    open.push(inner(step.workflow) ?? null);
  }
  return ids;
}

/** A name without what has a meaning in ids and keys. */
function plainName(step: unknown): string {
  const { name } = (step ?? {}) as { name?: unknown };
  return typeof name === "string" && name !== "" ? name.replace(/[./#~]/g, "_") : "step";
}

function shortened(id: string): string {
  if ([...id].length <= MAX_LENGTH) return id;
  return `${[...id].slice(0, SHOWN).join("")}~${fingerprint(id)}`;
}

/** FNV-1a of 64 bits: ids that were cut off still differ. */
function fingerprint(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (let index = 0; index < text.length; index += 1) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(index))) * 0x100000001b3n);
  }
  return hash.toString(16);
}
