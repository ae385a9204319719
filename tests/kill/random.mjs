// Chance that can be repeated.

/** A generator of numbers from 0 up to 1, the same ones for the same seed. */
export function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

/** A whole number from `low` to `high`, both included. */
export function between(random, low, high) {
  return low + Math.floor(random() * (high - low + 1));
}

export function pick(random, list) {
  return list[between(random, 0, list.length - 1)];
}

export function chance(random, probability) {
  return random() < probability;
}
