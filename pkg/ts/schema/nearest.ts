/** The name that was probably meant: the same but for case and underscores, or a slip or two away. */
export function nearest(wanted: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  // A third of the characters may differ: more of them is another word.
  let least = Math.floor(plain(wanted).length / 3) + 1;
  for (const name of known) {
    const slips = distance(plain(wanted), plain(name));
    if (slips < least) [best, least] = [name, slips];
  }
  return best;
}

function plain(name: string): string {
  return name.replaceAll("_", "").toLowerCase();
}

/** How many characters must be added, removed or changed to turn one string into the other. */
function distance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const changed = (row[j - 1] as number) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[right.length] as number;
}
