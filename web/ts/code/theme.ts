// How the editor looks. Its sheets are adopted by the shadow root that it stands in, which the page's policy allows;
// the page's colours reach it as custom properties.
import { EditorView, highlightSpecialChars } from "@codemirror/view";

export const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "transparent" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "inherit", lineHeight: "inherit", overflow: "auto" },
  ".cm-content": { padding: "6px 0", caretColor: "var(--text)" },
  ".cm-line": { padding: "0 9px" },
  ".cm-placeholder": { color: "var(--text-faint)" },
  ".word-tag": { color: "var(--condition)" },
  ".word-keyword": { color: "var(--parallel)" },
  ".word-name": { color: "var(--agent)" },
  ".word-member": { color: "var(--http)" },
  ".word-filter, .word-test": { color: "var(--loop)" },
  ".word-text": { color: "var(--function)" },
  ".word-number, .word-constant": { color: "var(--approval)" },
  ".word-symbol, .word-comment": { color: "var(--text-soft)" },
  ".word-comment": { fontStyle: "italic" },
  ".cm-lintRange": { backgroundImage: "none", textDecoration: "underline wavy 1px", textUnderlineOffset: "3px", textDecorationSkipInk: "none" },
  ".cm-lintRange-error": { textDecorationColor: "var(--error)" },
  ".cm-lintRange-warning": { textDecorationColor: "var(--warning)" },
  ".cm-lintRange-active": { backgroundColor: "transparent" },
  ".cm-tooltip": { border: "1px solid var(--line-strong)", borderRadius: "9px", backgroundColor: "var(--raised)", color: "var(--text)", boxShadow: "var(--shadow-float)", fontFamily: "var(--font)", fontSize: "12px", overflow: "hidden" },
  ".cm-tooltip-lint, .cm-tooltip-hover": { maxWidth: "320px" },
  ".about": { padding: "6px 10px" },
  ".about code": { color: "var(--text-soft)", fontFamily: "var(--mono)" },
  ".cm-diagnostic": { padding: "6px 10px", whiteSpace: "pre-wrap" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--error)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--warning)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { maxHeight: "232px", minWidth: "220px", maxWidth: "min(420px, 92vw)", fontFamily: "var(--mono)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { display: "flex", gap: "12px", alignItems: "baseline", boxSizing: "border-box", minHeight: "24px", padding: "4px 10px", lineHeight: "16px" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { background: "var(--accent-soft)", color: "var(--text)" },
  ".cm-completionDetail": { flex: "1", marginLeft: "0", overflow: "hidden", color: "var(--text-soft)", fontFamily: "var(--font)", fontStyle: "normal", textAlign: "right", textOverflow: "ellipsis", whiteSpace: "nowrap" },
});

/** A field of one line, whose height has no room for a bar: it scrolls without, and the end of what is typed stays clear of the button there. */
export const inOneLine = [
  EditorView.theme({
    ".cm-scroller": { alignItems: "center !important", overflow: "auto hidden", scrollbarWidth: "none" },
    ".cm-scroller::-webkit-scrollbar": { display: "none" },
    ".cm-content": { padding: "0" },
    "&.cm-focused .cm-line": { paddingRight: "28px" },
    // The list stands at the line of the caret, whose field is higher than that.
    ".cm-tooltip-autocomplete.cm-tooltip-below": { marginTop: "10px" },
    ".cm-tooltip-autocomplete.cm-tooltip-above": { marginTop: "-10px" },
  }),
  EditorView.scrollMargins.of(() => ({ right: 28 })),
];

/** What stands beside the editor: the button that enlarges it, and what is above and below it while it fills the window. */
export const around = new CSSStyleSheet();
around.replaceSync(`
  .enlarge { position: absolute; right: 3px; bottom: 3px; width: 24px; height: 24px; padding: 0; border: 0; border-radius: 6px; background: var(--raised); color: var(--text-soft); font: 14px/1 var(--font); opacity: 0; cursor: pointer; }
  :host(:is(:hover, :focus-within, :popover-open)) .enlarge { opacity: 1; }
  .enlarge:hover { background: var(--hover); color: var(--text); }
  :host(:popover-open) .enlarge { top: 6px; right: 14px; bottom: auto; }
  .title, .said { display: none; flex: none; padding: 9px 12px 8px; overflow: hidden; font: 12px/20px var(--font); text-overflow: ellipsis; white-space: nowrap; }
  .title { padding-right: 50px; border-bottom: 1px solid var(--line); font: 600 13px/20px var(--font); }
  .said { border-top: 1px solid var(--line); color: var(--error); }
  .said.always { padding-right: 34px; }
  :host(:popover-open) .title, :host(:popover-open) .said:not(:empty), .said.always:not(:empty) { display: block; }
  :host(:popover-open) .cm-editor { flex: 1; min-height: 0; }
`);

/** Signs that nobody sees, above all those that turn the direction of what stands behind them, have a dot in their place. */
export const hiddenSigns = highlightSpecialChars({ addSpecialChars: /[\u202a-\u202c\u2068]/g });

/** What an editor of a whole document has besides: the lines' numbers, what folds, and the marks beside them. */
export const documentTheme = EditorView.theme({
  ".cm-content": { padding: "10px 0" },
  ".cm-gutters": { border: "0", backgroundColor: "var(--sunken)", color: "var(--text-soft)" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 4px 0 6px" },
  ".cm-foldGutter .cm-gutterElement": { width: "16px", textAlign: "center", cursor: "pointer" },
  ".cm-foldPlaceholder": { padding: "0 5px", border: "1px solid var(--line-strong)", backgroundColor: "var(--raised)", color: "var(--text-soft)" },
  ".cm-gutter-lint": { width: "14px" },
  ".cm-gutter-lint .cm-gutterElement": { display: "flex", alignItems: "center", justifyContent: "center", padding: "0" },
  // Its own pictures are data addresses, which the page's policy forbids.
  ".cm-gutter-lint .cm-lint-marker": { width: "7px", height: "7px", borderRadius: "50%", content: "normal", backgroundColor: "var(--warning)" },
  ".cm-gutter-lint .cm-lint-marker-error": { backgroundColor: "var(--error)" },
});
