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

/** What tells the entry of a dialog from that of its workflow. What an address has offered stands in the state of an entry, behind this. */
const OF_DIALOG = "dialog";

/** How long an offer may be that a reload finds again, in characters: longer than every link that is made here. */
const MOST_OFFERED = 100_000;

export class Trail {
  readonly #led: Led;
  /** The workflow that the address is to name. */
  #id = "";
  /** Whether it gets an entry of its own. */
  #isNew = false;
  #hasDialog = false;
  /** Whether the entry of a dialog is being left, which takes the browser a moment. */
  #isLeaving = false;
  /** What the address has offered, until a person has said something to it. */
  #offered = "";

  constructor(led: Led) {
    this.#led = led;
    addEventListener("popstate", () => this.#arrive());
  }

  /** Another workflow is open, and Back leads to the one before. */
  add(id: string): void {
    this.#offered = "";
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

  /** The address offers this, in a dialog that opens soon: a reload before that is closed offers it again. */
  offer(offered = ""): void {
    this.#offered = offered.length > MOST_OFFERED ? "" : offered;
  }

  /** A dialog is open. */
  cover(): void {
    this.#hasDialog = true;
    this.#settle();
  }

  /** None is. */
  uncover(): void {
    if (this.#hasDialog) this.#offered = "";
    this.#hasDialog = false;
    this.#settle();
  }

  /** Makes the entry at which the browser is that of what is shown. */
  #settle(): void {
    if (this.#isLeaving) return;
    const isOfDialog = isAtDialog();
    const isOther = idInAddress() !== this.#id;
    if (isOther && isOfDialog && !this.#isNew) return this.#leave();
    // What was chosen in a dialog takes its entry, so that Back does not lead to an open dialog.
    if (isOther) history[this.#isNew && !isOfDialog ? "pushState" : "replaceState"](this.#offered || null, "", `#w=${this.#id}`);
    else if (!isOfDialog && offeredBefore() !== this.#offered) history.replaceState(this.#offered || null, "");
    if (isOther && isOfDialog) return;
    if (this.#hasDialog && !isOfDialog) history.pushState(OF_DIALOG + this.#offered, "");
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
    if (this.#hasDialog && !isAtDialog()) {
      this.#hasDialog = false;
      this.#offered = "";
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

/** Whether the browser is at the entry of a dialog. */
function isAtDialog(): boolean {
  return stateOf().startsWith(OF_DIALOG);
}

/** What the address has offered before it named a workflow; an empty text once a person has said something to it. */
export function offeredBefore(): string {
  const state = stateOf();
  return state.startsWith(OF_DIALOG) ? state.slice(OF_DIALOG.length) : state;
}

function stateOf(): string {
  return typeof history.state === "string" ? history.state : "";
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
