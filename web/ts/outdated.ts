// Whether a newer version of the page has come in the place of this one, whose files are gone then. It is part of the first
// file: a later one might be gone too.

/** Calls back once a file has not come that a newer page does not have. */
export function whenOutdated(found: () => void): void {
  const look = async (): Promise<void> => {
    try {
      const page = await fetch(location.pathname, { cache: "no-store" });
      // The page names the first of its scripts, which is this one.
      const own = new URL(import.meta.url).pathname.split("/").at(-1) ?? "";
      if (!page.ok || (await page.text()).includes(own)) return;
      removeEventListener("vite:preloadError", look);
      found();
    } catch {
      // Without a network nobody knows.
    }
  };
  addEventListener("vite:preloadError", look);
}
