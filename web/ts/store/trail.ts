// The address of the page, and where the browser's Back and Forward lead: there is an entry for each workflow that was
// opened, and one for an open dialog or form, which Back closes. Nothing but the id of a workflow is in an address, until
// somebody makes a link of it to share.

/** Who is told where Back, Forward and links have led. */
export interface Led {
  /** To another workflow. */
  elsewhere(id: string): void;
  /** Out of the dialog or form that is open. */
  closed(): void;
}

/** What tells the entry of a dialog from that of its workflow. */
const OF_DIALOG = "dialog";

export class Trail {
  readonly #led: Led;
  /** The workflow that the address is to name. */
  #id = "";
  /** Whether it gets an entry of its own. */
  #isNew = false;
  #hasDialog = false;
  /** Whether the entry of a dialog is being left, which takes the browser a moment. */
  #isLeaving = false;

  constructor(led: Led) {
    this.#led = led;
    addEventListener("popstate", () => this.#arrive());
  }

  /** Another workflow is open, and Back leads to the one before. */
  add(id: string): void {
    this.#isNew = true;
    this.#id = id;
    this.#settle();
  }

  /** The first workflow is open, or one in place of another that is gone. */
  replace(id: string): void {
    this.#isNew = false;
    this.#id = id;
    this.#settle();
  }

  /** A dialog is open. */
  cover(): void {
    this.#hasDialog = true;
    this.#settle();
  }

  /** None is. */
  uncover(): void {
    this.#hasDialog = false;
    this.#settle();
  }

  /** Makes the entry at which the browser is that of what is shown. */
  #settle(): void {
    if (this.#isLeaving) return;
    const isOfDialog = history.state === OF_DIALOG;
    if (idInAddress() !== this.#id) {
      if (isOfDialog && !this.#isNew) return this.#leave();
      // What was chosen in a dialog takes its entry, so that Back does not lead to an open dialog.
      history[this.#isNew && !isOfDialog ? "pushState" : "replaceState"](null, "", `#w=${this.#id}`);
      if (isOfDialog) return;
    }
    if (this.#hasDialog && !isOfDialog) history.pushState(OF_DIALOG, "");
    if (!this.#hasDialog && isOfDialog) this.#leave();
  }

  #leave(): void {
    this.#isLeaving = true;
    history.back();
  }

  #arrive(): void {
    // Everything is stored, and an offered file is opened where the page begins.
    if (offeredInAddress() !== undefined) return location.reload();
    if (this.#isLeaving) {
      this.#isLeaving = false;
      return this.#settle();
    }
    this.#isNew = false;
    if (this.#hasDialog && history.state !== OF_DIALOG) {
      this.#hasDialog = false;
      this.#led.closed();
    }
    const id = idInAddress();
    if (id !== undefined && id !== this.#id) {
      this.#id = id;
      this.#led.elsewhere(id);
    }
    this.#settle();
  }
}

/** The workflow that the address of the page names. */
export function idInAddress(): string | undefined {
  return /^#w=([\w-]+)$/.exec(location.hash)?.[1];
}

/** What the address of the page offers: a file, or the address itself where a workflow is in it. */
export function offeredInAddress(): string | undefined {
  return flowIn(location.href) === undefined ? fileInAddress() : location.href;
}

/** The packed workflow that a link to a builder brings along. */
export function flowIn(link: string): string | undefined {
  return /^[^#]+#flow=([\w-]*)$/.exec(link)?.[1];
}

/** A link to this page that brings a packed workflow along. */
export function flowLink(packed: string): string {
  return `${location.href.split("#", 1)[0]}#flow=${packed}`;
}

/** The file that the address of the page offers. It is of the same site: what is opened unasked is nothing that a stranger has chosen. */
function fileInAddress(): string | undefined {
  const [, path] = /^#open=(.+)$/.exec(location.hash) ?? [];
  if (path === undefined) return undefined;
  try {
    const url = new URL(decodeURIComponent(path), document.baseURI);
    return url.origin === location.origin ? url.href : undefined;
  } catch {
    return undefined;
  }
}
