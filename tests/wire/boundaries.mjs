// Where the bytes of an answer are cut on their way. A reader's result must not depend on it.

/** The ways to cut. */
export const MODES = ["event", "all", "1 byte", "random"];

/** The longest random piece: events are longer, so most are cut several times. */
const LONGEST = 64;

/** The longest answer that is sent byte by byte, because each takes its time. */
const BY_BYTE = 8192;

/** The ways to cut an answer of this length. */
export function modesFor(bytes) {
  return MODES.filter((mode) => mode !== "1 byte" || bytes.length <= BY_BYTE);
}

/** The bytes in the pieces in which this mode sends them. */
export function pieces(bytes, mode) {
  switch (mode) {
    case "event":
      return cutAt(bytes, eventEnds(bytes));
    case "all":
      return [bytes];
    case "1 byte":
      return cutAt(bytes, bytes.keys());
    case "random":
      return cutAt(bytes, randomEnds(bytes.length));
    default:
      throw new Error(`there is no way to cut called ${mode}; there are: ${MODES.join(", ")}`);
  }
}

function cutAt(bytes, places) {
  const found = [];
  let from = 0;
  for (const to of [...places, bytes.length]) {
    if (to > from) found.push(bytes.subarray(from, to));
    from = to;
  }
  return found;
}

function* eventEnds(bytes) {
  const text = bytes.toString("latin1");
  for (const end of text.matchAll(/\r?\n\r?\n/g)) yield end.index + end[0].length;
}

// A linear congruential generator with the constants of Numerical Recipes; its high bits are the better ones.
function* randomEnds(length) {
  let state = length;
  for (let at = 0; at < length; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    at += 1 + Math.floor((state / 2 ** 32) * LONGEST);
    if (at < length) yield at;
  }
}
