// A name that is cut where it has no room is seen as a whole under the pointer.

/** What has its title from here, which follows its text. */
const titled = new WeakSet<HTMLElement>();

/** Gives what is cut a title when the pointer comes to it: to measure all beforehand would take the browser long. */
export function showWhole(): void {
  document.addEventListener("pointerover", ({ target }) => {
    if (!(target instanceof HTMLElement) || (target.title !== "" && !titled.has(target))) return;
    const text = target instanceof HTMLInputElement ? target.value : (target.textContent ?? "");
    if (isCut(target)) {
      titled.add(target);
      target.title = text;
    } else if (titled.has(target)) {
      target.removeAttribute("title");
    }
  });
}

function isCut(element: HTMLElement): boolean {
  if (element.scrollWidth <= element.clientWidth && element.scrollHeight <= element.clientHeight) return false;
  const { textOverflow, webkitLineClamp } = getComputedStyle(element);
  return textOverflow === "ellipsis" || webkitLineClamp !== "none";
}
