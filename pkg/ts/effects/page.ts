/** The origin of the page that this is, or that this is a worker of; undefined in every other place. */
export function pageOrigin(): string | undefined {
  const { location, origin } = globalThis as { location?: { protocol?: string }; origin?: string };
  return location?.protocol === undefined || typeof origin !== "string" ? undefined : origin;
}
