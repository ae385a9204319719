/** Ids for which random bytes are drawn at once: asking for those of one alone takes a tenth of a short run. */
const IDS = 64;
const BYTES = 16;

/** The two hexadecimal digits of each byte, as the codes of their characters. */
let digits: Uint8Array | undefined;
let bytes: Uint8Array<ArrayBuffer> | undefined;
let next = 0;

/** An id that no other run has: a random UUID, which nobody can guess from those before it. */
export function newId(): string {
  const random = drawn();
  const codes = (digits ??= hexadecimal());
  const at = next * BYTES;
  next += 1;
  const high = (index: number): number => codes[2 * (random[at + index] as number)] as number;
  const low = (index: number): number => codes[2 * (random[at + index] as number) + 1] as number;
  // The version and the variant of the UUID, which are no part of what is random.
  random[at + 6] = ((random[at + 6] as number) & 0x0f) | 0x40;
  random[at + 8] = ((random[at + 8] as number) & 0x3f) | 0x80;
  // A single call with all characters: putting the text together from pieces takes twice as long.
  return String.fromCharCode(
    high(0), low(0), high(1), low(1), high(2), low(2), high(3), low(3), 45,
    high(4), low(4), high(5), low(5), 45, high(6), low(6), high(7), low(7), 45,
    high(8), low(8), high(9), low(9), 45,
    high(10), low(10), high(11), low(11), high(12), low(12), high(13), low(13), high(14), low(14), high(15), low(15),
  );
}

/** Bytes of which those from `next` on are unused. They are drawn when an id is needed: Workers draw none while they load. */
function drawn(): Uint8Array<ArrayBuffer> {
  const known = (bytes ??= new Uint8Array(IDS * BYTES));
  if (next % IDS === 0) {
    globalThis.crypto.getRandomValues(known);
    next = 0;
  }
  return known;
}

function hexadecimal(): Uint8Array {
  return new TextEncoder().encode(Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0")).join(""));
}
