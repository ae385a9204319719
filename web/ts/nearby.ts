// A button that goes away with what it has done, such as an answer that was given, leaves the keyboard's focus at its place.

/** What has buttons of that kind. */
const AROUND = ".inspector, .panel, dialog";

/** What the keyboard gets to. */
const REACHED = ":is(button, input, select, textarea, summary, .code-field):not(:disabled)";

let end = (): void => {};

/** Keeps the keyboard's focus nearby where what was pressed goes away. */
export function stayNearby(): void {
  document.addEventListener("click", watch, true);
  document.addEventListener("focusin", () => end());
}

function watch(): void {
  end();
  const pressed = document.activeElement;
  const around = pressed?.closest(AROUND) ?? null;
  if (pressed === null || around === null) return;
  const place = reached(around).indexOf(pressed as HTMLElement);
  const removals = new MutationObserver(() => {
    if (pressed.isConnected) return;
    end();
    // What comes in its place is drawn by then.
    requestAnimationFrame(() => requestAnimationFrame(() => come(around, place)));
  });
  removals.observe(document.body, { childList: true, subtree: true });
  end = () => removals.disconnect();
}

function come(around: Element, place: number): void {
  if (document.activeElement !== document.body) return;
  const all = reached(around);
  (all[place] ?? all.at(-1))?.focus({ preventScroll: true });
}

function reached(around: Element): HTMLElement[] {
  return [...around.querySelectorAll<HTMLElement>(REACHED)].filter((element) => element.checkVisibility());
}
