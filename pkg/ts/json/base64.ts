/** Bytes of a call: a function takes only so many arguments. Divisible by three, so that no padding comes in between. */
const CHUNK = 0x6000;

/** Bytes as base64. */
export function base64(bytes: Uint8Array): string {
  return inChunks(bytes, btoa);
}

/** The bytes in a view or an `ArrayBuffer`, from whatever realm it comes. */
export function bytesIn(data: unknown): Uint8Array | undefined {
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return Object.prototype.toString.call(data) === "[object ArrayBuffer]" ? new Uint8Array(data as ArrayBuffer) : undefined;
}

/** Bytes as a text with one character for each. */
export function binary(bytes: Uint8Array): string {
  return inChunks(bytes, (characters) => characters);
}

function inChunks(bytes: Uint8Array, written: (characters: string) => string): string {
  let text = "";
  for (let from = 0; from < bytes.length; from += CHUNK) text += written(lettersOf(bytes.subarray(from, from + CHUNK)));
  return text;
}

/** Bytes that are spread are iterated, which takes several times as long. */
function lettersOf(bytes: Uint8Array): string {
  return String.fromCharCode.apply(null, bytes as unknown as number[]);
}
