// Colours: templates and expressions by the words that the wasm reads, JSON and JavaScript by their grammars.
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { RangeSetBuilder, StateField, type Extension, type Text } from "@codemirror/state";
import { Decoration, EditorView, type DecorationSet } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Port } from "./port.js";

/** By their numbers in the wasm. */
const KINDS = ["tag", "keyword", "name", "member", "filter", "test", "text", "number", "constant", "symbol", "comment"];
const MARKS = KINDS.map((kind) => Decoration.mark({ class: `word-${kind}` }));

/** Characters beyond which a text has no colours: reading it at each key would be felt. */
const MOST = 50_000;

/** The colours of templates and expressions. */
export function words(port: Port): Extension {
  const paint = (text: Text): DecorationSet => {
    if (text.length > MOST) return Decoration.none;
    const { words } = port.read(text.toString());
    const painted = new RangeSetBuilder<Decoration>();
    for (let at = 0; at + 2 < words.length; at += 3) {
      const [from = 0, to = 0, kind = 0] = words.slice(at, at + 3);
      const mark = MARKS[kind];
      if (mark !== undefined && from < to && to <= text.length) painted.add(from, to, mark);
    }
    return painted.finish();
  };
  return StateField.define<DecorationSet>({
    create: (state) => paint(state.doc),
    update: (painted, change) => (change.docChanged ? paint(change.state.doc) : painted),
    provide: (field) => EditorView.decorations.from(field),
  });
}

/** The colours of JSON and JavaScript. */
export const grammar = syntaxHighlighting(
  HighlightStyle.define([
    { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword, tags.definitionKeyword, tags.moduleKeyword], class: "word-keyword" },
    { tag: tags.propertyName, class: "word-name" },
    { tag: [tags.string, tags.special(tags.string), tags.regexp], class: "word-text" },
    { tag: tags.number, class: "word-number" },
    { tag: [tags.bool, tags.null, tags.atom], class: "word-constant" },
    { tag: tags.comment, class: "word-comment" },
    { tag: [tags.operator, tags.punctuation, tags.bracket], class: "word-symbol" },
  ]),
);
