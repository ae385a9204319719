import { length, letters, order, singles, text } from "#engine-text";

/** The engine's bytes, out of the text they are shipped in: `encode.mjs` says why it is not base64. */
export function bytes(): Uint8Array<ArrayBuffer> {
  const ranks = new Uint8Array(128);
  for (let rank = 0; rank < letters.length; rank += 1) ranks[letters.charCodeAt(rank)] = rank;
  const decoded = new Uint8Array(length);
  const byteAt = Uint8Array.from(order);
  for (let read = 0, written = 0; written < length; written += 1) {
    let rank = ranks[text.charCodeAt(read++)] as number;
    // A letter beyond the single ones announces a second one.
    if (rank >= singles) rank = singles + (rank - singles) * singles + (ranks[text.charCodeAt(read++)] as number);
    decoded[written] = byteAt[rank] as number;
  }
  return decoded;
}
