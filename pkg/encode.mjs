// Bytes as the text of a JavaScript string that gzip and brotli pack almost as small as the bytes themselves.
//
// Base64 cuts every three bytes into four letters, so that the same bytes look different depending on where they
// stand: packed, the engine is 30 % larger in it. Here a byte is always the same letter, or the same two letters,
// so whatever repeats in the bytes repeats in the text: packed, it is less than 1 % larger.

/** Printable letters that need no escape in any kind of string or in a page. */
const LETTERS = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index))
  .filter((letter) => !"\"'`\\$<".includes(letter))
  .join("");

/** How many letters announce a second one: enough for the bytes that have no letter of their own. */
const PREFIXES = 2;

/**
 * The text, and what is needed to read it: the letters, how many of them stand for a byte of their own, and the
 * bytes from the most to the least frequent one. `ts/entries/bytes.ts` reads it.
 */
export function encode(bytes) {
  const counts = new Array(256).fill(0);
  for (const byte of bytes) counts[byte] += 1;
  const order = [...counts.keys()].sort((left, right) => counts[right] - counts[left]);
  const singles = LETTERS.length - PREFIXES;
  const words = new Array(256);
  for (const [rank, byte] of order.entries()) {
    const beyond = rank - singles;
    words[byte] = beyond < 0 ? LETTERS[rank] : LETTERS[singles + Math.floor(beyond / singles)] + LETTERS[beyond % singles];
  }
  return { text: Array.from(bytes, (byte) => words[byte]).join(""), letters: LETTERS, singles, order, length: bytes.length };
}
