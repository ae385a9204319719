/** Bytes as the text that `encode.mjs` makes of them, which says why it is not base64. */
export interface Encoded {
  /** Each byte as one or two characters. */
  readonly text: string;
  /** How many bytes there are. */
  readonly length: number;
  /** The characters; those after the first `singles` announce a second character. */
  readonly letters: string;
  readonly singles: number;
  /** The bytes by rank. */
  readonly order: readonly number[];
}

/** The bytes that were encoded. */
export function decode({ text, length, letters, singles, order }: Encoded): Uint8Array<ArrayBuffer> {
  const ranks = new Uint8Array(128);
  for (let rank = 0; rank < letters.length; rank += 1) ranks[letters.charCodeAt(rank)] = rank;
  const decoded = new Uint8Array(length);
  const byteAt = Uint8Array.from(order);
  for (let read = 0, written = 0; written < length; written += 1) {
    let rank = ranks[text.charCodeAt(read++)] as number;
    // A character beyond the single ones announces a second one.
    if (rank >= singles) rank = singles + (rank - singles) * singles + (ranks[text.charCodeAt(read++)] as number);
    decoded[written] = byteAt[rank] as number;
  }
  return decoded;
}
