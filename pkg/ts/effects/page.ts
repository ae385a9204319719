/** The origin of this page, or of the page that this worker belongs to; undefined everywhere else. */
export function pageOrigin(): string | undefined {
  const { location, origin } = globalThis as { location?: { protocol?: string }; origin?: string };
  return location?.protocol === undefined || typeof origin !== "string" ? undefined : origin;
}

/** No cookies, no referrer, no cache. Some runtimes refuse what only pages have. */
export function privately(): object {
  return pageOrigin() === undefined ? {} : { credentials: "omit", referrerPolicy: "no-referrer", cache: "no-store" };
}
