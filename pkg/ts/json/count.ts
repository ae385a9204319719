const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const LIST = 0x5b;
const OBJECT = 0x7b;

/**
 * Whether a JSON text has more values than this, without reading them: many tiny ones take much longer than their bytes
 * explain. What stands in a list or an object counts, and each that is empty.
 */
export function hasMoreValues(text: string, most: number): boolean {
  // Each takes a character at least.
  if (text.length <= most) return false;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === COMMA || code === LIST || code === OBJECT) {
      values += 1;
      if (values > most) return true;
    } else if (code === QUOTE) {
      at = endOfString(text, at);
    }
  }
  return false;
}

/** Where the string ends that begins here; behind the text, if it does not. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}
