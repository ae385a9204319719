// Keys of several tabs, which share one place: what each of them has changed, and what comes of it together.

/** The keys by their names, each as JSON text. */
export type Keys = ReadonlyMap<string, string>;

export function parsed(text: string): Keys {
  return new Map(Object.entries(JSON.parse(text) as Record<string, unknown>).map(([name, key]) => [name, JSON.stringify(key)]));
}

export function written(keys: Keys): string {
  return JSON.stringify(Object.fromEntries([...keys].map(([name, key]) => [name, JSON.parse(key) as unknown])));
}

/** What is stored with what this tab has changed since it last looked: its own keys, and none that it has removed. */
export function together(stored: Keys, before: Keys, now: Keys): Keys {
  const keys = new Map(stored);
  for (const name of before.keys()) if (!now.has(name)) keys.delete(name);
  for (const [name, key] of now) if (before.get(name) !== key) keys.set(name, key);
  return keys;
}
