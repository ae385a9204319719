// A field of code: a plain one, in whose place an editor stands once it is here. The editor comes with the first focus
// of any such field; what is typed until then, the caret and the focus go along. Without it the plain field stays.
import type { DocumentEditor } from "./document.js";
import type { Editor } from "./editor.js";
import type { Language, Port } from "./port.js";

type Plain = HTMLInputElement | HTMLTextAreaElement;
type Module = typeof import("./editor.js");

let here: Module | undefined;
let coming: Promise<Module | undefined> | undefined;
/** The fields that wait for the editor. */
const waiting = new Set<CodeField>();

function load(): Promise<Module | undefined> {
  coming ??= import("./editor.js").then(
    (module) => {
      here = module;
      for (const field of [...waiting]) field.soon();
      return module;
    },
    () => (coming = undefined),
  );
  return coming;
}

/** Makes a field one of code. */
export function codeField(plain: Plain, language: Language, port: Port): CodeField {
  return new CodeField(plain, language, port);
}

/** Puts the editor of a whole document in the place of a text area, as soon as it is here. */
export async function documentField(plain: HTMLTextAreaElement): Promise<DocumentEditor> {
  const { DocumentEditor } = await import("./document.js");
  await untilFree(plain);
  return new DocumentEditor(plain);
}

export class CodeField {
  readonly #plain: Plain;
  readonly #language: Language;
  readonly #port: Port;
  readonly #gone = new AbortController();
  #editor: Editor | undefined;
  /** Whether something was typed before the editor was here. */
  #isTyped = false;

  constructor(plain: Plain, language: Language, port: Port) {
    [this.#plain, this.#language, this.#port] = [plain, language, port];
    const { signal } = this.#gone;
    plain.addEventListener("focus", () => void this.#enter(), { signal });
    plain.addEventListener("input", () => (this.#isTyped = true), { signal });
    // Before the browser places its caret.
    plain.addEventListener("pointerdown", (event) => this.#press(event as PointerEvent), { signal });
    waiting.add(this);
    if (here !== undefined) this.soon();
    if (plain === document.activeElement) void this.#enter();
  }

  /** What the document says of the field now. */
  show(text: string): void {
    this.#editor?.show(text);
  }

  /** Whatever is known of its names may have changed. */
  look(): void {
    this.#editor?.look();
  }

  /** Ends it; the page takes the field away. */
  close(): void {
    this.#gone.abort();
    waiting.delete(this);
    this.#editor?.close();
  }

  /** Puts the editor in its place when the browser has nothing better to do. */
  soon(): void {
    const put = (): void => void this.#put();
    if ("requestIdleCallback" in globalThis) requestIdleCallback(put, { timeout: 1000 });
    else setTimeout(put, 50);
  }

  async #enter(): Promise<void> {
    await load();
    await untilFree(this.#plain);
    this.#put();
  }

  #press(event: PointerEvent): void {
    const editor = event.isPrimary && event.button === 0 && plainIsIdle(this.#plain) ? this.#put() : undefined;
    if (editor === undefined) return;
    event.preventDefault();
    editor.enter(event.clientX, event.clientY);
  }

  #put(): Editor | undefined {
    const plain = this.#plain;
    if (here === undefined || this.#editor !== undefined || this.#gone.signal.aborted || !plain.isConnected) return;
    if (composing.has(plain)) {
      plain.addEventListener("compositionend", () => this.soon(), { once: true, signal: this.#gone.signal });
      return;
    }
    waiting.delete(this);
    this.#editor = new here.Editor(plain, this.#language, this.#port);
    if (this.#isTyped) this.#editor.offer();
    return this.#editor;
  }
}

/** Fields in which an input method is at work. */
const composing = new WeakSet<EventTarget>();
addEventListener("compositionstart", ({ target }) => target !== null && composing.add(target), true);
addEventListener("compositionend", ({ target }) => target !== null && composing.delete(target), true);

/** Until nothing is being composed in it, or selected with the mouse: neither is interrupted. */
async function untilFree(plain: Plain): Promise<void> {
  if (plain.matches(":active")) await new Promise((done) => addEventListener("pointerup", done, { once: true }));
  if (composing.has(plain)) await new Promise((done) => plain.addEventListener("compositionend", done, { once: true }));
}

function plainIsIdle(plain: Plain): boolean {
  return plain !== document.activeElement;
}
