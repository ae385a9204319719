/** Measures everyone once a round, so that a machine that is busy for a while is busy for all; gives what each measured. */
export async function inRounds(rounds, everyone, measure) {
  const measured = everyone.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < everyone.length; turn += 1) {
      // Each round begins with another one, so that nobody always comes after the same neighbour.
      const place = (turn + round) % everyone.length;
      measured[place].push(await measure(everyone[place]));
    }
  }
  return measured;
}
