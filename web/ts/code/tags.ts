// The braces of a template's tags: around what a suggestion writes, and where their end is typed although it is there.
import { pickedCompletion, type Completion } from "@codemirror/autocomplete";
import { StateEffect, StateField, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type { Language, Offer } from "./port.js";
import { between } from "./quotes.js";

/** How a suggestion is written. */
export type Writing = (view: EditorView, picked: Completion, from: number, to: number) => void;

/**
 * Writes a suggestion with a space on both sides of what stands in braces. The caret goes behind them where a value is read
 * and nothing is left to be said of it, since the text goes on there; of an object or a list one reads a part, and a filter
 * may have more behind it.
 */
export function writing({ text, arguments: all, whole }: Offer, language: Language): Writing {
  return (view, picked, from, to) => {
    const { before, after } = around(view, from, to);
    const isBeforeEnd = language === "template" && /^\s*\}\}/.test(after);
    const own = after.startsWith("(") ? "" : all;
    const lead = isBeforeEnd && before.endsWith("{{") ? " " : "";
    const trail = isBeforeEnd && after.startsWith("}}") ? " " : "";
    const insert = lead + text + own + trail;
    const end = whole && isBeforeEnd && /\{\{-?\s*\S*$/.test(before) ? from + insert.length + after.indexOf("}}") + 2 : undefined;
    const anchor = end ?? from + lead.length + text.length + inside(own);
    const isInQuotes = own.includes("''");
    view.dispatch({
      changes: { from, to, insert },
      selection: { anchor },
      effects: end !== undefined ? leave.of({ at: end, braces: 2 }) : isInQuotes ? between(anchor) : [],
      annotations: pickedCompletion.of(picked),
      userEvent: "input.complete",
      scrollIntoView: true,
    });
  };
}

/** How far into some arguments the first one begins. */
function inside(all: string): number {
  return (all.includes("'") ? all.indexOf("'") : all.indexOf("(")) + 1;
}

/** Where the caret was put behind a tag, and how many of its braces may still be typed by habit. */
interface Left {
  readonly at: number;
  readonly braces: number;
}

const leave = StateEffect.define<Left | undefined>();

const left = StateField.define<Left | undefined>({
  create: () => undefined,
  update(value, { effects, changes, docChanged, selection, newDoc, newSelection }) {
    for (const effect of effects) if (effect.is(leave)) return effect.value;
    if (value === undefined || (!docChanged && selection === undefined)) return value;
    const { from, to } = newSelection.main;
    const isThere = from === to && ["", " "].includes(newDoc.sliceString(value.at, from)) && from >= value.at;
    return isThere && !changes.touchesRange(0, value.at - 1) ? value : undefined;
  },
});

/** The end of a tag may be typed where it stands already: behind spaces too, and where a suggestion has left the tag. */
export const ends: Extension = [
  left,
  EditorView.inputHandler.of((view, from, to, typed) => {
    if (typed !== "}" || from !== to) return false;
    const behind = view.state.field(left);
    if (behind !== undefined) {
      const braces = behind.braces - 1;
      view.dispatch({ changes: { from: behind.at, to: from }, effects: leave.of(braces > 0 ? { ...behind, braces } : undefined), userEvent: "input.type" });
      return true;
    }
    const { before, after } = around(view, from, to);
    const spaces = /^(\s+)\}\}/.exec(after)?.[1];
    // In braces of its own an object ends.
    if (spaces === undefined || !/\{\{[^{}]*$/.test(before)) return false;
    const insert = /\s$/.test(before) ? "" : " ";
    view.dispatch({ changes: { from, to: from + spaces.length, insert }, selection: { anchor: from + insert.length + 1 }, userEvent: "input.type" });
    return true;
  }),
];

/** What stands before and behind a piece of a line. */
function around({ state }: EditorView, from: number, to: number): { before: string; after: string } {
  return { before: state.sliceDoc(state.doc.lineAt(from).from, from), after: state.sliceDoc(to, state.doc.lineAt(to).to) };
}
