// The editor of the whole document as JSON, which stands in the place of a plain text area. Whoever made that says what
// is wrong with the text and takes it over; of a change it only hears, since a long text is not copied with each key.
import { history, redo, standardKeymap, undo } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { codeFolding, foldGutter, foldKeymap } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState, Transaction, type Extension } from "@codemirror/state";
import { EditorView, keymap, lineNumbers, type Command } from "@codemirror/view";
import { overwrite, replace } from "./changes.js";
import { diagnostics } from "./flaws.js";
import { grammar } from "./highlight.js";
import type { Flaw } from "./port.js";
import { documentTheme, hiddenSigns, theme } from "./theme.js";

/** How far from the top the line is that is shown, in pixels. */
const ABOVE = 110;

export class DocumentEditor {
  readonly #plain: HTMLTextAreaElement;
  readonly #view: EditorView;
  readonly #past = new Compartment();
  readonly #attributes = new Compartment();
  /** What finds text in it, once that is here. */
  readonly #finding = new Compartment();
  readonly #watch: MutationObserver;

  constructor(plain: HTMLTextAreaElement) {
    this.#plain = plain;
    const hasFocus = plain === document.activeElement;
    const { selectionStart, selectionEnd, scrollTop } = plain;
    const described = plain.ariaDescribedByElements ?? null;
    const host = document.createElement("div");
    host.className = `${plain.className} code-field`.trim();
    const root = host.attachShadow({ mode: "open", delegatesFocus: true });
    this.#view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({ doc: plain.value, selection: { anchor: selectionStart, head: selectionEnd }, extensions: this.#extensions() }),
    });
    plain.replaceWith(host);
    // The list of problems is outside, where no id in here reaches it.
    this.#view.contentDOM.ariaDescribedByElements = described;
    this.#watch = new MutationObserver(() => this.#view.dispatch({ effects: this.#attributes.reconfigure(this.#described()) }));
    this.#watch.observe(plain, { attributes: true, attributeFilter: ["aria-invalid", "readonly"] });
    // A piece that is shown stays in view, although lines are as high as they are drawn.
    if (selectionStart < selectionEnd) this.reveal(selectionStart, selectionEnd);
    else this.#view.scrollDOM.scrollTop = scrollTop;
    if (hasFocus) this.#view.focus();
  }

  /** What stands in it. */
  text(): string {
    return this.#view.state.doc.toString();
  }

  /** Shows another text, unless it is there. */
  show(text: string): void {
    if (text === this.text()) return;
    replace(this.#view, text);
    this.settle();
  }

  /** Marks what is wrong, in place of what was before. */
  mark(flaws: readonly Flaw[]): void {
    const { state } = this.#view;
    this.#view.dispatch(setDiagnostics(state, diagnostics(flaws, state.doc.length)));
  }

  /** Selects a piece, unfolds what hides it, and scrolls to it. */
  reveal(from: number, to: number): void {
    const { length } = this.#view.state.doc;
    const [anchor, head] = [Math.min(from, length), Math.min(to, length)];
    this.#view.dispatch({ selection: { anchor, head }, effects: EditorView.scrollIntoView(anchor, { y: "start", yMargin: ABOVE }) });
  }

  focus(): void {
    this.#view.focus();
  }

  /** Forgets what was typed: the document's history has it from here on. */
  settle(): void {
    this.#view.dispatch({ effects: this.#past.reconfigure([]) });
    this.#view.dispatch({ effects: this.#past.reconfigure(history()) });
  }

  /** Ends it. */
  close(): void {
    this.#watch.disconnect();
    this.#view.destroy();
  }

  #extensions(): Extension[] {
    return [
      theme,
      documentTheme,
      hiddenSigns,
      this.#past.of(history()),
      this.#attributes.of(this.#described()),
      this.#finding.of([]),
      lintGutter(),
      lineNumbers(),
      codeFolding(),
      foldGutter(),
      json(),
      grammar,
      keymap.of([
        { key: "Mod-z", run: undo },
        { key: "Mod-Shift-z", run: redo },
        { key: "Mod-y", run: redo },
        { key: "Mod-f", run: this.#find },
        ...foldKeymap,
        // Escape closes the view.
        ...standardKeymap.filter(({ key }) => key !== "Tab" && key !== "Escape"),
      ]),
      EditorView.domEventHandlers({
        beforeinput: (event, view) => overwrite(event, view),
        blur: () => void this.#plain.dispatchEvent(new FocusEvent("blur")),
      }),
      EditorView.updateListener.of(({ docChanged, transactions }) => {
        if (docChanged && !transactions.every((change) => change.annotation(Transaction.remote))) this.#plain.dispatchEvent(new Event("input"));
      }),
    ];
  }

  /** The key is the editor's from the first time on: the workflow's own search shows the canvas, which this covers. */
  #find: Command = () => {
    void this.#openFinding();
    return true;
  };

  async #openFinding(): Promise<void> {
    try {
      const { finding, openSearchPanel } = await import("./finding.js");
      this.#view.dispatch({ effects: this.#finding.reconfigure(finding) });
      openSearchPanel(this.#view);
    } catch {
      // Without its file nothing is found; the next press of the key tries again.
    }
  }

  #described(): Extension {
    const plain = this.#plain;
    const name = plain.getAttribute("aria-label") ?? "";
    const invalid = plain.getAttribute("aria-invalid") ?? "false";
    return [EditorView.contentAttributes.of({ "aria-label": name, "aria-invalid": invalid, "aria-multiline": "true", spellcheck: "false" }), EditorState.readOnly.of(plain.readOnly)];
  }
}
