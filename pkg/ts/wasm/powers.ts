/**
 * The tables of powers by which the engine reads numbers, under the names of their addresses in `#tables`.
 *
 * They are a twentieth of the packed engine and can be computed in less than a millisecond, so its file has zeros in
 * their place: `tables.mjs` looks for exactly these bytes in it.
 */
export function powers(): { readonly fives: Uint8Array; readonly tens: Uint8Array } {
  return { fives: new Uint8Array(fives().buffer), tens: new Uint8Array(tens().buffer) };
}

/** The first 128 bits of each power of five, the upper 64 before the lower: Rust reads floating-point numbers by them. */
function fives(): BigUint64Array<ArrayBuffer> {
  const [least, most] = [-342, 308];
  const words = new BigUint64Array(2 * (most - least + 1));
  const put = (power: number, bits: bigint) => words.set([bits >> 64n, bits & 0xffffffffffffffffn], 2 * (power - least));
  let five = 1n;
  let length = 1n;
  for (let power = 0; power <= -least; power += 1) {
    if (power <= most) put(power, (five << 128n) >> length);
    // The small ones are rounded up, the others are cut off.
    if (power > 0) put(-power, (1n << (length + 127n)) / five + (power <= 27 ? 1n : 0n));
    five *= 5n;
    while (five >> length) length += 1n;
  }
  return words;
}

/** Each power of ten: JSON's numbers are read by them. */
function tens(): Float64Array<ArrayBuffer> {
  return Float64Array.from({ length: 309 }, (_, power) => Number(`1e${power}`));
}
