export function median(numbers) {
  return quantile(numbers, 0.5);
}

export function quantile(numbers, share) {
  const sorted = [...numbers].sort((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) * share)];
}

/** The median, over the rounds, of what one measured divided by what another measured in the same round. */
export function ratio(over, under) {
  return median(over.map((number, round) => number / under[round]));
}
