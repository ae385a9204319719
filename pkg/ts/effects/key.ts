/** What makes a text no key that a header can hold; nothing when it is one. Runtimes refuse such a header with a message that shows it. */
export function faultOfKey(value: string): string | undefined {
  if (value === "") return "is empty";
  if (/^[\x21-\x7e\x80-\xff](?:[\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?$/.test(value)) return undefined;
  return "cannot be sent in a header: it has a line break, a space around it or a character that headers cannot hold";
}

/** What helps then. */
export const KEY_HINT = "remove what was copied along with it; value.trim() often is enough";
