// How the text of an editor changes from outside, and what a browser's own change would spoil.
import { deleteCharBackward, deleteCharForward, deleteGroupBackward, deleteGroupForward, deleteLineBoundaryBackward, deleteLineBoundaryForward, deleteToLineEnd } from "@codemirror/commands";
import { Transaction } from "@codemirror/state";
import { EditorView, type Command } from "@codemirror/view";

/** Shows another text, which is no change of a person: the document has it already. The caret stays where it can. */
export function replace(view: EditorView, text: string): void {
  const [from, to, insert] = difference(view.state.doc.toString(), text);
  view.dispatch({ changes: { from, to, insert }, annotations: [Transaction.remote.of(true), Transaction.addToHistory.of(false)] });
}

/**
 * Writes over what is selected, unless what is typed has a meaning there: a bracket may go around it. A browser would give
 * the new text the colours of the old one, as inline styles.
 */
export function overwrite(event: InputEvent, view: EditorView): boolean {
  if (event.inputType.startsWith("delete")) return erase(event, view);
  const { inputType, data: insert, isComposing } = event;
  const { from, to, empty } = view.state.selection.main;
  if (view.state.readOnly || inputType !== "insertText" || insert === null || isComposing || empty) return false;
  const written = (): Transaction =>
    view.state.update({ changes: { from, to, insert }, selection: { anchor: from + insert.length }, userEvent: "input.type", scrollIntoView: true });
  if (!view.state.facet(EditorView.inputHandler).some((takes) => takes(view, from, to, insert, written))) view.dispatch(written());
  return true;
}

/** What deletes, by what a browser calls it. */
const DELETIONS: Readonly<Record<string, Command>> = {
  deleteContentBackward: deleteCharBackward,
  deleteContentForward: deleteCharForward,
  deleteWordBackward: deleteGroupBackward,
  deleteWordForward: deleteGroupForward,
  deleteSoftLineBackward: deleteLineBoundaryBackward,
  deleteSoftLineForward: deleteLineBoundaryForward,
  deleteHardLineBackward: deleteLineBoundaryBackward,
  deleteHardLineForward: deleteToLineEnd,
};

/**
 * Deletes where it is no key of the editor that does: a menu, the keyboard of a screen, a shortcut of the system. Of lines that
 * come together a browser would keep the colours, as inline styles.
 */
function erase({ inputType, isComposing, cancelable }: InputEvent, view: EditorView): boolean {
  const remove = DELETIONS[inputType];
  if (remove === undefined || isComposing || !cancelable) return false;
  remove(view);
  return true;
}

/** What has to be replaced to make one text of another. */
function difference(before: string, after: string): [from: number, to: number, insert: string] {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return [start, before.length - end, after.slice(start, after.length - end)];
}
