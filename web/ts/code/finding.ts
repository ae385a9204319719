// Find and replace in the text of the whole document. It is loaded once somebody looks for something there.
import { search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";

export { openSearchPanel } from "@codemirror/search";

const theme = EditorView.theme({
  ".cm-panels": { backgroundColor: "var(--raised)", color: "var(--text)", fontFamily: "var(--font)" },
  ".cm-panels-top": { borderBottom: "1px solid var(--line)" },
  ".cm-panel.cm-search": { padding: "4px 34px 4px 10px", fontSize: "12px" },
  ".cm-panel.cm-search label": { fontSize: "12px" },
  ".cm-panel.cm-search [name=close]": { top: "2px", width: "26px", height: "26px", fontSize: "16px", cursor: "pointer" },
  ".cm-textfield": { minHeight: "26px", padding: "2px 8px", border: "1px solid var(--line-strong)", borderRadius: "6px", backgroundColor: "var(--sunken)", fontSize: "12px" },
  ".cm-button": { minHeight: "26px", padding: "2px 8px", border: "1px solid var(--line-strong)", borderRadius: "6px", backgroundColor: "var(--raised)", backgroundImage: "none", fontSize: "12px", cursor: "pointer" },
  // A colour behind them would take the contrast from those of the words.
  ".cm-searchMatch, .cm-searchMatch-selected": { borderRadius: "2px", backgroundColor: "transparent", outline: "1px solid var(--warning)" },
  ".cm-searchMatch-selected": { outlineWidth: "2px" },
});

const words = EditorState.phrases.of({
  next: "Next",
  previous: "Previous",
  all: "Select all",
  "match case": "Match case",
  regexp: "Regular expression",
  "by word": "Whole words",
  replace: "Replace",
  "replace all": "Replace all",
  close: "Close",
});

/** What finds, and its keys: those that work in its panel too. The others are keys of the page. */
export const finding: Extension = [search({ top: true }), keymap.of(searchKeymap.filter(({ scope }) => scope !== undefined)), theme, words];
