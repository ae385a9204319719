// The editor that stands in the place of a plain field of code. The page loads it when such a field is focused.
import { acceptCompletion, autocompletion, closeBrackets, closeBracketsKeymap, closeCompletion, completionKeymap, completionStatus, startCompletion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { history, redo, redoDepth, standardKeymap, undo, undoDepth } from "@codemirror/commands";
import { indentOnInput, syntaxTree } from "@codemirror/language";
import { diagnosticCount, forceLinting, linter, type Diagnostic } from "@codemirror/lint";
import { Compartment, EditorState, Prec, StateEffect, Transaction, type Extension } from "@codemirror/state";
import { EditorView, hoverTooltip, keymap, placeholder, tooltips, type Command, type ViewUpdate } from "@codemirror/view";
import { overwrite, replace } from "./changes.js";
import { diagnostics } from "./flaws.js";
import { grammar, words } from "./highlight.js";
import type { About, Language, Port } from "./port.js";
import { quotes } from "./quotes.js";
import { ends, writing } from "./tags.js";
import { around, hiddenSigns, inOneLine, theme } from "./theme.js";

type Plain = HTMLInputElement | HTMLTextAreaElement;

/** Something else is known of the same text. */
const LOOK = StateEffect.define<null>();

/** How long after the last key a fault is marked: what is half written is not wrong yet. */
const PAUSE_MS = 1000;

/** How far what comes up stays from the window's edges. */
const MARGIN_PX = 8;

export class Editor {
  readonly #plain: Plain;
  readonly #language: Language;
  readonly #host: HTMLElement;
  readonly #view: EditorView;
  readonly #past = new Compartment();
  readonly #attributes = new Compartment();
  /** How its lines are laid out. */
  readonly #shape = new Compartment();
  readonly #watch: MutationObserver;
  /** What is wrong with it, where it fills the window and hides what stands below it. */
  readonly #said = document.createElement("div");
  /** The fields around it, which cannot be written into while another tab edits. */
  readonly #edits: HTMLFieldSetElement | null;
  #port: Port;
  /** Whether the steps that give one of its names may be lit. */
  #lights = false;

  constructor(plain: Plain, language: Language, port: Port) {
    [this.#plain, this.#language, this.#port] = [plain, language, port];
    const hasFocus = plain === document.activeElement;
    const { selectionStart, selectionEnd, scrollTop } = plain;
    this.#edits = plain.closest("fieldset");
    this.#host = document.createElement("div");
    this.#host.className = `${plain.className} code-field ${this.#isOneLine ? "one-line" : ""}`.trim();
    if (plain instanceof HTMLTextAreaElement) this.#host.style.setProperty("--rows", String(plain.rows));
    // Whoever gives it the focus means its text, and not the first of its parts that can have it.
    this.#host.focus = () => this.#view.focus();
    Object.assign(this.#host, { select: () => this.#view.dispatch({ selection: { anchor: 0, head: this.#view.state.doc.length } }) });
    const root = this.#host.attachShadow({ mode: "open", delegatesFocus: true });
    this.#view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: plain.value,
        // Whoever comes to a field of one line by the keyboard writes in the place of its text, as in a plain one.
        selection: this.#isOneLine && !hasFocus ? { anchor: 0, head: plain.value.length } : { anchor: selectionStart ?? 0, head: selectionEnd ?? 0 },
        extensions: this.#extensions(),
      }),
    });
    // Of JavaScript the page says nothing below the field.
    this.#said.className = language === "javascript" ? "said always" : "said";
    root.adoptedStyleSheets.push(around);
    const [title, button] = enlarger(this.#host, this.#name, (size) => this.#lay(size));
    root.prepend(title);
    root.append(this.#said, button);
    replaceUnsaid(plain, this.#host);
    // A label gives the focus to what it names, which it cannot see inside.
    this.#host.closest("label")?.addEventListener("click", this.#call);
    this.#watch = new MutationObserver(() => this.#view.dispatch({ effects: this.#attributes.reconfigure(this.#described()) }));
    this.#watch.observe(plain, { attributes: true, attributeFilter: ["aria-invalid", "placeholder"] });
    if (this.#edits !== null) this.#watch.observe(this.#edits, { attributes: true, attributeFilter: ["disabled"] });
    this.#view.scrollDOM.scrollTop = scrollTop;
    if (hasFocus) this.#view.focus();
    void this.#learn();
  }

  /** Shows another text, unless it is there. */
  show(text: string): void {
    if (text === this.#view.state.doc.toString()) return;
    replace(this.#view, text);
    this.#forget();
  }

  /** Looks again what is wrong. */
  look(): void {
    this.#view.dispatch({ effects: LOOK.of(null) });
    forceLinting(this.#view);
  }

  /** Offers what can be written, as after a key: the last one came to the plain field. */
  offer(): void {
    if (this.#view.hasFocus && this.#view.state.doc.length > 0) startCompletion(this.#view);
  }

  /** Takes the focus, with the caret at a place on the screen. */
  enter(x: number, y: number): void {
    this.#view.focus();
    const at = this.#view.posAtCoords({ x, y }, false);
    this.#view.dispatch({ selection: { anchor: at } });
  }

  /**
   * Ends it, and puts the plain field back: the page may have another use for it. What CodeMirror has still to ask meanwhile is
   * nobody's any more: the page's functions go with the field.
   */
  close(): void {
    this.#watch.disconnect();
    this.#view.destroy();
    // CodeMirror tells of a lost focus a moment later: a field that goes away with it says so itself.
    if (this.#lights) this.#port.entered(false);
    this.#port = NOBODY;
    this.#host.replaceWith(this.#plain);
  }

  get #isOneLine(): boolean {
    return this.#plain instanceof HTMLInputElement;
  }

  /** Lays its lines out for the size that it has now: a large one has room for all of a long line. */
  #lay(size: Size): void {
    this.#view.dispatch({ effects: this.#shape.reconfigure(this.#isOneLine && size === "small" ? inOneLine : EditorView.lineWrapping) });
    this.#view.focus();
  }

  get #name(): string {
    return this.#plain.getAttribute("aria-label") ?? "";
  }

  #call = (event: MouseEvent): void => {
    if (!event.composedPath().includes(this.#host)) this.#view.focus();
  };

  #extensions(): Extension[] {
    const language = this.#language;
    const isOurs = language === "template" || language === "expression";
    return [
      theme,
      hiddenSigns,
      this.#past.of(history()),
      this.#attributes.of(this.#described()),
      this.#learned.of([]),
      this.#isOneLine ? oneLine : [],
      this.#shape.of(this.#isOneLine ? inOneLine : EditorView.lineWrapping),
      isOurs ? [words(this.#port), quotes] : grammar,
      linter(({ state }) => this.#flaws(state), { delay: PAUSE_MS, needsRefresh: ({ transactions }) => transactions.some(({ effects }) => effects.some((effect) => effect.is(LOOK))) }),
      // Before what CodeMirror binds to the key.
      Prec.highest(keymap.of([{ key: "Escape", run: leaveOffers }])),
      autocompletion({ override: [(context) => this.#offers(context)], interactionDelay: 0, icons: false, activateOnTypingDelay: 40 }),
      // What opens a tag of a template closes it too: it is whole while something is written into it.
      language === "template" ? [ends, closeBrackets(), BRACES] : [],
      // A list beside the window's edge would look cut off.
      tooltips({ tooltipSpace: () => ({ left: MARGIN_PX, top: MARGIN_PX, right: innerWidth - MARGIN_PX, bottom: innerHeight - MARGIN_PX }) }),
      hoverTooltip((view, at) => {
        const about = this.#about(at);
        if (about === undefined) return null;
        return { pos: about.from, end: about.to, above: true, create: () => ({ dom: described(about), destroy: () => this.#light(view) }) };
      }),
      EditorState.phrases.of({ Completions: "Suggestions" }),
      keymap.of([
        { key: "Mod-z", run: this.#undo },
        { key: "Mod-Shift-z", run: this.#redo },
        { key: "Mod-y", run: this.#redo },
        { key: "ArrowDown", run: offerWhereEmpty },
        { key: "Alt-ArrowDown", run: startCompletion },
        ...completionKeymap,
        { key: "Tab", run: acceptCompletion },
        ...closeBracketsKeymap,
        ...standardKeymap.filter(({ key }) => key !== "Tab"),
      ]),
      EditorView.domEventHandlers({ beforeinput: (event, view) => overwrite(event, view) }),
      EditorView.updateListener.of((update) => this.#updated(update)),
    ];
  }

  readonly #learned = new Compartment();

  /** Fetches the grammar of a language that is not ours. */
  async #learn(): Promise<void> {
    const grammars = {
      json: async (): Promise<Extension> => (await import("@codemirror/lang-json")).json(),
      javascript: async (): Promise<Extension> => (await import("@codemirror/lang-javascript")).javascript(),
    };
    if (this.#language !== "json" && this.#language !== "javascript") return;
    try {
      const learned = await grammars[this.#language]();
      this.#view.dispatch({ effects: this.#learned.reconfigure([learned, indentOnInput()]) });
    } catch {
      // Without its file the text has no colours.
    }
  }

  #described(): Extension {
    const plain = this.#plain;
    const invalid = plain.getAttribute("aria-invalid") ?? "false";
    const spelling = plain.getAttribute("spellcheck") ?? "false";
    return [
      EditorView.contentAttributes.of({ "aria-label": this.#name, "aria-invalid": invalid, "aria-multiline": String(!this.#isOneLine), spellcheck: spelling }),
      placeholder(plain.placeholder),
      EditorState.readOnly.of(this.#edits?.disabled ?? false),
    ];
  }

  #updated({ docChanged, transactions, focusChanged, selectionSet, view }: ViewUpdate): void {
    if (docChanged && !transactions.every((change) => change.annotation(Transaction.remote))) {
      this.#plain.value = view.state.doc.toString();
      this.#plain.dispatchEvent(new Event("input", { bubbles: true }));
    }
    // What is mended is no longer marked; a view must not be changed while it is being updated.
    if (docChanged && diagnosticCount(view.state) > 0) queueMicrotask(() => forceLinting(view));
    if (focusChanged) this.#port.entered(view.hasFocus);
    if (view.hasFocus && (docChanged || selectionSet || focusChanged)) this.#light(view);
    if (focusChanged && !view.hasFocus) {
      // Whoever reads a long line begins at its beginning.
      if (this.#isOneLine) view.scrollDOM.scrollLeft = 0;
      this.#plain.dispatchEvent(new FocusEvent("blur"));
      this.#forget();
    }
  }

  /** What is to be said of the name at a position; what gives it is lit. */
  #about(at: number): About | undefined {
    this.#lights = true;
    return this.#port.about(this.#view.state.doc.toString(), at);
  }

  /** What gives the name at the caret is lit, as long as the field has the focus; the answer is for who hovers. */
  #light(view: EditorView): void {
    if (view.hasFocus) this.#about(view.state.selection.main.head);
    else this.#port.entered(false);
  }

  /** Forgets what was typed in this visit: from here on the document's history has it as one change. */
  #forget(): void {
    // A view must not be changed while it is being updated.
    queueMicrotask(() => {
      this.#view.dispatch({ effects: this.#past.reconfigure([]) });
      this.#view.dispatch({ effects: this.#past.reconfigure(history()) });
    });
  }

  /** Takes back a piece of what was typed; the first piece is all that is left of the document's change, so that goes. */
  #undo: Command = (view) => undoDepth(view.state) > (this.#language === "json" ? 0 : 1) && undo(view);

  #redo: Command = (view) => redoDepth(view.state) > 0 && redo(view);

  #offers({ state, pos, explicit }: CompletionContext): CompletionResult | null {
    // CodeMirror asks a moment after a key: by then the field may have been left, and nothing would close the list.
    if (!this.#view.hasFocus) return null;
    if (!explicit && state.doc.length === 0) return null;
    const found = this.#port.offers(state.doc.toString(), pos);
    if (found === undefined) return null;
    const options = found.offers.map((offer) => ({ label: offer.text, displayLabel: offer.label, detail: offer.about, apply: writing(offer, this.#language) }));
    return { from: found.from, options, filter: false };
  }

  #flaws(state: EditorState): Diagnostic[] {
    const flaws = diagnostics(this.#port.read(state.doc.toString()).flaws, state.doc.length);
    if (this.#language === "javascript") flaws.push(...unreadable(state));
    this.#said.textContent = flaws[0]?.message ?? "";
    return flaws;
  }
}

const BRACES = EditorState.languageData.of(() => [{ closeBrackets: { brackets: ["{"] } }]);

/** Behind a field that is no longer there. */
const NOBODY: Port = { read: () => ({ words: [], flaws: [] }), offers: () => undefined, about: () => undefined, entered: () => {} };

/** What is said of a name. */
function described({ origin, value }: About): HTMLElement {
  const box = document.createElement("div");
  box.className = "about";
  const from = document.createElement("div");
  from.textContent = origin;
  box.append(from);
  if (value !== "") {
    const last = document.createElement("code");
    last.textContent = value;
    box.append(last);
  }
  return box;
}

/** Where a grammar cannot read on. */
function unreadable(state: EditorState): Diagnostic[] {
  const found: Diagnostic[] = [];
  const written = state.doc.toString().trimEnd().length;
  syntaxTree(state).iterate({
    enter: ({ type, from, to }) => {
      if (!type.isError || found.length > 0) return;
      // What is missing at the end is marked at the last letter, as a blank shows no mark.
      const isAtEnd = from >= written;
      const start = isAtEnd ? Math.max(written - 1, 0) : from;
      const message = isAtEnd ? "The code ends too early: something is missing behind this." : "This is no JavaScript: it cannot be read from here on.";
      found.push({ from: start, to: Math.max(isAtEnd ? written : to, start + 1), severity: "error", message });
    },
  });
  return found;
}

/** Escape closes the list of offers. One that is not shown yet comes no more, and the key is for what the field stands in. */
const leaveOffers: Command = (view) => {
  const isShown = completionStatus(view.state) === "active";
  return closeCompletion(view) && isShown;
};

/** ↓ in an empty field, where there is no line below. */
const offerWhereEmpty: Command = (view) => view.state.doc.length === 0 && completionStatus(view.state) === null && startCompletion(view);

/** A field of one line stays so, whatever is pasted into it. */
const oneLine: Extension = [
  EditorView.clipboardInputFilter.of((text) => text.replace(/\s*\n\s*/g, " ")),
  EditorState.transactionFilter.of((change) => (change.docChanged && change.newDoc.lines > 1 ? [] : change)),
  keymap.of([{ key: "Enter", run: ({ state }) => completionStatus(state) === null }]),
];

/** How much room a field has: its own place, or the window. */
type Size = "small" | "large";

/** What makes the field as large as the window and small again: a button, and the name that it has there. */
function enlarger(host: HTMLElement, name: string, turned: (size: Size) => void): readonly [HTMLElement, HTMLElement] {
  const title = document.createElement("div");
  // The field has this name already.
  title.setAttribute("aria-hidden", "true");
  title.className = "title";
  const button = document.createElement("button");
  button.type = "button";
  button.className = "enlarge";
  const say = (size: Size): void => {
    const isLarge = size === "large";
    title.textContent = isLarge ? name : "";
    button.textContent = isLarge ? "×" : "⤢";
    button.title = isLarge ? "Make it small again (Esc)" : "Enlarge";
    button.setAttribute("aria-label", isLarge ? "Make it small again" : "Enlarge");
  };
  const turn = (): void => {
    const size = host.popover === null ? "large" : "small";
    // The top layer lies above panels and dialogs; nothing of the field is made anew.
    host.popover = size === "large" ? "manual" : null;
    if (size === "large") host.showPopover();
    say(size);
    turned(size);
  };
  button.addEventListener("click", (event) => {
    event.preventDefault();
    turn();
  });
  host.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || host.popover === null) return;
    event.preventDefault();
    turn();
  });
  say("small");
  return [title, button];
}

/** Puts an element in the place of another one without a word to its listeners: nobody has left it, and what is typed in it goes on. */
function replaceUnsaid(old: Element, by: Element): void {
  const types = ["blur", "focusout", "change"];
  const keep = (event: Event): void => event.stopImmediatePropagation();
  for (const type of types) addEventListener(type, keep, true);
  old.replaceWith(by);
  for (const type of types) removeEventListener(type, keep, true);
}
