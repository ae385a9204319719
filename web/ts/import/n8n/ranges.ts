// Nodes of n8n that make many items of one, and what is done for each of those.
import type { Edge } from "../arrange";
import { mayLook } from "../javascript";
import { addTo } from "../text";
import { collects, makesList } from "./lists";
import { isTrigger, type Source } from "./source";

/** Of each node that makes many items the nodes that run for each, as far as they can stand in a “For each” together. */
export function rangesOf(sources: ReadonlyMap<string, Source>, edges: readonly Edge[]): Map<string, ReadonlySet<string>> {
  const [out, into] = [new Map<string, string[]>(), new Map<string, string[]>()];
  for (const { from, to } of edges) {
    addTo(out, from, to);
    addTo(into, to, from);
  }
  const ranges = new Map<string, ReadonlySet<string>>();
  for (const source of sources.values()) {
    const targets = out.get(source.name) ?? [];
    if (source.disabled || targets.length === 0 || !makesList(source)) continue;
    const ends = (name: string): boolean => {
      const target = sources.get(name);
      return target === undefined || isTrigger(target) || collects(target);
    };
    // What is given all items itself takes the list as it is.
    if (targets.some(ends)) continue;
    const inside = new Set<string>();
    const open = [...targets];
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      if (!mayLook()) return ranges;
      if (inside.has(name) || ends(name)) continue;
      inside.add(name);
      open.push(...(out.get(name) ?? []));
    }
    // What another flow reaches too, or leads back, is no part of one.
    const isOwn = !inside.has(source.name) && [...inside].every((name) => (into.get(name) ?? []).every((from) => from === source.name || inside.has(from)));
    if (isOwn) ranges.set(source.name, inside);
  }
  return ranges;
}
