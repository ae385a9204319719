// The colours of the page: light, dark, or as the system has them.
import { prefer, preference } from "./preferences.js";

export type Look = "light" | "dark" | "system";

const NAME = "look";
const DARK = "(prefers-color-scheme: dark)";
const ORDER: readonly Look[] = ["system", "dark", "light"];

let now: Look = "system";

/** Shows the look that was chosen last. */
export function restoreLook(): void {
  const kept = ORDER.find((look) => look === preference(NAME));
  if (kept !== undefined) show(kept);
}

/** Shows a look, or else the next one, and remembers it; gives which it is. */
export function turnLook(look = ORDER[(ORDER.indexOf(now) + 1) % ORDER.length]): Look {
  show(look ?? "system");
  prefer(NAME, now);
  return now;
}

function show(look: Look): void {
  now = look;
  document.documentElement.style.colorScheme = look === "system" ? "" : look;
  for (const media of inTheDark()) media.mediaText = look === "system" ? DARK : look === "dark" ? "all" : "not all";
}

let found: MediaList[] | undefined;

/** Where the style sheets say what holds in the dark, so that the colours stand in one place. */
function inTheDark(): MediaList[] {
  // Those of an extension may not be read.
  found ??= [...document.styleSheets]
    .filter((sheet) => sheet.href?.startsWith(location.origin))
    .flatMap((sheet) => [...sheet.cssRules])
    .flatMap((rule) => (rule instanceof CSSMediaRule && rule.media.mediaText === DARK ? [rule.media] : []));
  return found;
}
