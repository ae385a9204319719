// What is said below a field comes and goes while a person is in it, and would move what they are about to click. From the
// moment that a field is come to, what stands below fields takes the room that it has, and what needs more lies over the page
// until the field is left. What is offered further below is seen under that meanwhile, and not hidden by it.

/** What has fields, and scrolls. */
const FORMS = ".inspector-body, .modal-body";

/** What is written into, and has a preview while it has the focus. */
const WRITTEN = "input:not([type='checkbox'], [type='radio'], [type='file']), textarea, .code-field";

/** What is said of a text that is none for its field. What the check of the workflow finds comes later, and has a severity. */
const COMPLAINT = ".field-error:not([data-severity])";

/** About as long as a person holds a button down, a little longer than `ui/preview` has it: what is pressed must not move away
 * before it is released, and a preview that goes takes no room in between. */
const PRESS_MS = 430;

/** So long after it previews have gone, also where the browser has much to do. */
const AFTER_MS = 600;

/** What removes something, or turns it off. */
const REMOVES = "button.danger, button[aria-label^='Remove'], label:has([type='checkbox']), [type='checkbox']";

/** What can be pressed to have something added or changed. */
const OFFERS = `button:not(${REMOVES})`;

const held = new Set<HTMLElement>();

/** Whether what is said has more room than it is given. */
const sizes = new ResizeObserver((changes) => {
  for (const { target } of changes) {
    const { parentElement: below } = target;
    if (below?.classList.contains("own") === true) fit(below, target);
  }
  showOffers();
});

/** What is wrong with what is typed takes room at once: it comes with a letter and not beside a click, and must not lie over
 * the field that is next. All else that has no room lies over the page. */
function fit(below: HTMLElement, said: Element): void {
  if (said.querySelector(COMPLAINT) !== null) {
    below.classList.remove("over");
    if (said.clientHeight > below.clientHeight) {
      below.style.height = `${said.clientHeight}px`;
      below.style.marginTop = "";
    }
  }
  below.classList.toggle("over", said.clientHeight > below.clientHeight + 1);
}

/** Shows what is offered below the field under what lies over the page, as that grows and goes. */
function showOffers(): void {
  const own = [...held].find((below) => below.classList.contains("own"));
  let end = own?.classList.contains("over") === true ? bottomOf(own) : -Infinity;
  for (const below of own === undefined ? [] : held) {
    const said = below.firstElementChild;
    const follows = (own?.compareDocumentPosition(below) ?? 0) & Node.DOCUMENT_POSITION_FOLLOWING;
    if (follows === 0 || said === null) {
      below.classList.remove("shown");
      continue;
    }
    const { top } = below.getBoundingClientRect();
    const isHidden = top < end || said.clientHeight > below.clientHeight + 1;
    const isShown = isHidden && offers(below) && below.closest("section") === own?.closest("section");
    below.classList.toggle("shown", isShown);
    if (!isShown) continue;
    below.style.setProperty("--down", `${Math.max(0, end - top)}px`);
    end = bottomOf(below);
  }
}

/** Whether it offers something of itself. What mends another field is of that one. */
function offers(below: HTMLElement): boolean {
  return below.closest(".field") === null && below.querySelector(OFFERS) !== null && below.querySelector(".field-error") === null;
}

function bottomOf(below: HTMLElement): number {
  return below.firstElementChild?.getBoundingClientRect().bottom ?? 0;
}

/** Keeps what stands below fields still while a person is in one of them. */
export function keepStill(): void {
  document.addEventListener("focusin", (event) => {
    if (event.target instanceof Element && event.target.matches(WRITTEN)) hold(event);
  });
  let isHidden = false;
  document.addEventListener("pointerdown", (event) => (isHidden = removesHidden(event)), true);
  document.addEventListener(
    "click",
    (event) => {
      // One that a key makes has no place.
      if (!isHidden || event.detail === 0) return;
      event.preventDefault();
      event.stopPropagation();
    },
    true,
  );
  for (const typed of ["keydown", "input"]) document.addEventListener(typed, hold, true);
  document.addEventListener("focusout", () => {
    const from = [...held].find((below) => below.classList.contains("own"));
    setTimeout(() => letGo(from), PRESS_MS);
  });
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
    const isOwn = isOf(below, target);
    const wasOwn = below.classList.contains("own");
    below.classList.toggle("own", isOwn);
    if (below.firstElementChild === null) continue;
    if (wasOwn && !isOwn) leave(below, below.firstElementChild);
    sizes.observe(below.firstElementChild);
  }
}

/** Whether something is pressed that nobody sees, and removes something: clicks go through what lies over the page otherwise. */
function removesHidden({ target, clientX, clientY }: MouseEvent): boolean {
  if (!(target instanceof Element) || target.closest(REMOVES) === null) return false;
  return [...held].some((below) => {
    if (!below.matches(".over, .shown") || below.contains(target)) return false;
    const { top, right, bottom, left } = (below.firstElementChild as Element).getBoundingClientRect();
    return left <= clientX && clientX <= right && top <= clientY && clientY <= bottom;
  });
}

/** Whether something is the field above it, or stands in it. */
function isOf(below: HTMLElement, target: EventTarget | null): boolean {
  return target instanceof Element && (below.previousElementSibling?.contains(target) === true || below.contains(target));
}

/** What lay over the page goes back into the room that it has. */
function leave(below: HTMLElement, said: Element): void {
  sizes.unobserve(said);
  below.classList.remove("over", "shown");
}

function gapOf({ parentElement }: HTMLElement): number {
  if (parentElement === null) return 0;
  const { display, rowGap } = getComputedStyle(parentElement);
  return display === "contents" ? gapOf(parentElement) : parseFloat(rowGap) || 0;
}

/** Once a field is left, all that is said takes its room, but what the person has come to meanwhile: that stays as it is, and
 * where it is. */
function letGo(from: HTMLElement | undefined): void {
  const active = document.activeElement;
  const left = [...held].filter((below) => !below.classList.contains("own") || !isOf(below, active));
  if (active === null || left.length === 0 || (from !== undefined && isOf(from, active))) return;
  const form = active.closest(FORMS);
  const before = active.getBoundingClientRect().top;
  for (const below of left) {
    if (below.firstElementChild !== null) leave(below, below.firstElementChild);
    below.classList.remove("held", "own");
    below.style.height = below.style.marginTop = "";
    held.delete(below);
  }
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
