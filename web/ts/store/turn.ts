// Which tab edits a workflow: a lock says it, and a channel brings its changes to the tabs that follow.

/** What tabs of one workflow tell each other. */
type Message = { readonly change: string; readonly last: number } | { readonly yield: true } | { readonly deletedBy: string } | { readonly restored: true } | { readonly said: true };

/** How long the tab that edits may take to finish when another one takes over; a frozen tab does not answer at all. */
const PATIENCE_MS = 1500;

/** What a tab learns of the workflow that it has open. */
export interface Listener {
  /** Another tab has made a change. */
  changed(change: string, last: number): void;
  /** This tab edits from now on, or no longer; then what it wrote is stored first. */
  turned(editing: boolean): Promise<void>;
  /** Another tab has deleted the workflow. */
  deleted(): void;
  /** Another tab has brought it back. */
  restored(): void;
  /** Another tab has stored what was said to the workflow. */
  said(): void;
}

/** A tab's turn at a workflow. */
export class Turn {
  readonly #name: string;
  readonly #listener: Listener;
  readonly #channel: BroadcastChannel;
  #editing = false;
  #letGo = (): void => {};
  #waiting: AbortController | undefined;

  private constructor(id: string, listener: Listener) {
    this.#name = lockOf(id);
    this.#listener = listener;
    this.#channel = new BroadcastChannel(this.#name);
    this.#channel.onmessage = ({ data }: MessageEvent<Message>) => {
      if ("yield" in data) this.#yield();
      else if ("deletedBy" in data) {
        if (data.deletedBy !== THIS_TAB) listener.deleted();
      } else if ("restored" in data) listener.restored();
      else if ("said" in data) listener.said();
      else if (!this.#editing) listener.changed(data.change, data.last);
    };
  }

  /** Takes a turn: edits, unless another tab does; then it follows until that one is gone. */
  static async take(id: string, listener: Listener): Promise<Turn> {
    const turn = new Turn(id, listener);
    if (!(await turn.#request({ ifAvailable: true }))) turn.#queue();
    return turn;
  }

  get isEditing(): boolean {
    return this.#editing;
  }

  /** Tells the tabs that follow. */
  announce(change: string, last: number): void {
    this.#channel.postMessage({ change, last } satisfies Message);
  }

  /** Tells the other tabs that what was said to the workflow is stored. */
  tellSaid(): void {
    this.#channel.postMessage({ said: true } satisfies Message);
  }

  /** Edits here: the tab that does so now writes to its end first. */
  async seize(): Promise<void> {
    if (this.#editing) return;
    this.#waiting?.abort();
    this.#channel.postMessage({ yield: true } satisfies Message);
    const patience = AbortSignal.timeout(PATIENCE_MS);
    const granted = await this.#request({ signal: patience });
    if (!granted && !this.#editing) await this.#request({ steal: true });
  }

  leave(): void {
    this.#channel.close();
    this.#waiting?.abort();
    this.#editing = false;
    this.#letGo();
  }

  #queue(): void {
    const waiting = new AbortController();
    this.#waiting = waiting;
    this.#request({ signal: waiting.signal }).then(
      (granted) => {
        if (granted) void this.#listener.turned(true);
      },
      () => {},
    );
  }

  #yield(): void {
    if (!this.#editing) {
      // A tab that only waits lets the one go first in which a person chose to edit.
      this.#waiting?.abort();
      setTimeout(() => {
        if (!this.#editing && this.#waiting?.signal.aborted === true) this.#queue();
      }, PATIENCE_MS * 2);
      return;
    }
    this.#editing = false;
    void this.#listener.turned(false).then(() => {
      this.#letGo();
      // Not before the other one: its request is in the queue already.
      setTimeout(() => this.#queue(), PATIENCE_MS);
    });
  }

  /** Whether the lock was granted. Without locks every tab edits, and the database refuses the second of two changes. */
  #request(options: LockOptions): Promise<boolean> {
    if (!("locks" in navigator)) {
      this.#editing = true;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const hold = (lock: Lock | null): Promise<void> | undefined => {
        if (lock === null) {
          resolve(false);
          return undefined;
        }
        this.#editing = true;
        resolve(true);
        return new Promise((letGo) => (this.#letGo = letGo));
      };
      navigator.locks.request(this.#name, options, hold).catch(() => {
        resolve(false);
        // Another tab has taken it.
        if (!this.#editing) return;
        this.#editing = false;
        void this.#listener.turned(false);
        this.#queue();
      });
    });
  }
}

/** Tells the tabs that have a workflow open that it is deleted. */
export function announceDeleted(id: string): void {
  announce(id, { deletedBy: THIS_TAB });
}

/** Tells them that it is back. */
export function announceRestored(id: string): void {
  announce(id, { restored: true });
}

function announce(id: string, message: Message): void {
  const channel = new BroadcastChannel(lockOf(id));
  channel.postMessage(message);
  channel.close();
}

/** The workflows that some tab edits. */
export async function editedNow(): Promise<ReadonlySet<string>> {
  if (!("locks" in navigator)) return new Set();
  const { held = [] } = await navigator.locks.query();
  return new Set(held.flatMap(({ name }) => (name?.startsWith(PREFIX) === true ? [name.slice(PREFIX.length)] : [])));
}

/** What this tab is to the others. Over plain http there is no `randomUUID`, and the page must get as far as saying so. */
const THIS_TAB = crypto.getRandomValues(new Uint32Array(4)).join("-");

const PREFIX = "stepweave.edit.";

function lockOf(id: string): string {
  return PREFIX + id;
}
