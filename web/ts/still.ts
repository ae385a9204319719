// What is said below a field comes and goes while a person types, and would move what they are about to click. From the first
// key on, what stands below a field takes the room that it has, and what needs more lies over the page until the field is left.

/** What has fields, and scrolls. */
const FORMS = ".inspector-body, .modal-body";

/** About as long as a person holds a button down, a little shorter than `ui/preview` has it: what is pressed must not move away
 * before it is released. */
const PRESS_MS = 390;

/** So long after it previews have gone, also where the browser has much to do. */
const AFTER_MS = 600;

const held = new Set<HTMLElement>();

/** Whether what is said has more room than it is given. */
const sizes = new ResizeObserver((changes) => {
  for (const { target } of changes) target.parentElement?.classList.toggle("over", target.clientHeight > target.parentElement.clientHeight + 1);
});

/** Keeps what stands below fields still while they are written into. */
export function keepStill(): void {
  for (const typed of ["keydown", "input"]) document.addEventListener(typed, hold, true);
  document.addEventListener("focusout", () => setTimeout(letGo, PRESS_MS));
}

function hold({ target }: Event): void {
  const form = target instanceof Element ? target.closest(FORMS) : null;
  if (form === null) return;
  const free = [...form.querySelectorAll<HTMLElement>(".below:not(.held)")];
  // All are measured before one is changed: else the browser would lay out the page for each.
  const rooms = free.map((below) => [below.getBoundingClientRect().height, gapOf(below)] as const);
  for (const [at, below] of free.entries()) {
    const [height = 0, gap = 0] = rooms[at] ?? [];
    below.style.height = `${height}px`;
    // What was not there had no space around it either.
    if (height === 0) below.style.marginTop = `${-gap}px`;
    below.classList.add("held");
    held.add(below);
  }
  for (const below of held) {
    const isOwn = below.previousElementSibling?.contains(target as Element) === true;
    below.classList.toggle("own", isOwn);
    if (isOwn && below.firstElementChild !== null) sizes.observe(below.firstElementChild);
  }
}

function gapOf({ parentElement }: HTMLElement): number {
  if (parentElement === null) return 0;
  const { display, rowGap } = getComputedStyle(parentElement);
  return display === "contents" ? gapOf(parentElement) : parseFloat(rowGap) || 0;
}

/** Once the field is left, all that is said takes its room; what the person has come to meanwhile stays where it is. */
function letGo(): void {
  const active = document.activeElement;
  const own = [...held].find((below) => below.classList.contains("own"));
  if (active === null || own?.parentElement?.contains(active) === true) return;
  const form = active.closest(FORMS);
  const before = active.getBoundingClientRect().top;
  sizes.disconnect();
  for (const below of held) {
    below.classList.remove("held", "own", "over");
    below.style.height = below.style.marginTop = "";
  }
  held.clear();
  if (form === null) return;
  const keep = (): void => {
    form.scrollTop += active.getBoundingClientRect().top - before;
  };
  keep();
  const moved = new ResizeObserver(keep);
  for (const section of form.querySelectorAll("section")) moved.observe(section);
  const end = (): void => {
    moved.disconnect();
    form.removeEventListener("wheel", end);
  };
  setTimeout(end, AFTER_MS);
  // Whoever scrolls has gone on.
  form.addEventListener("wheel", end, { passive: true });
}
