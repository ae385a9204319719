// The quotes of a suggestion such as `join('')`: they may be typed by habit although they are there.
import { StateEffect, StateField, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

/** The quotes around the caret, and whether something was typed between them. */
interface Quotes {
  readonly from: number;
  readonly to: number;
  readonly isBegun: boolean;
}

const quoted = StateEffect.define<Quotes>();

/** Tells that a suggestion has left the caret between its quotes. */
export function between(at: number): StateEffect<Quotes> {
  return quoted.of({ from: at, to: at, isBegun: false });
}

const open = StateField.define<Quotes | undefined>({
  create: () => undefined,
  update(value, { effects, changes, newSelection }) {
    for (const effect of effects) if (effect.is(quoted)) return effect.value;
    if (value === undefined) return value;
    const [from, to] = [changes.mapPos(value.from, -1), changes.mapPos(value.to, 1)];
    const { head } = newSelection.main;
    return from <= head && head <= to ? { from, to, isBegun: value.isBegun || !changes.empty } : undefined;
  },
});

/** The first quote that is typed is the one before the caret, the next one at the end is that behind it. */
export const quotes: Extension = [
  open,
  EditorView.inputHandler.of((view, from, to, typed) => {
    const own = view.state.field(open);
    if (typed !== "'" || from !== to || own === undefined || view.state.sliceDoc(own.to, own.to + 1) !== typed) return false;
    if (!own.isBegun && from === own.from) view.dispatch({ effects: quoted.of({ ...own, isBegun: true }) });
    else if (from === own.to) view.dispatch({ selection: { anchor: from + 1 } });
    else return false;
    return true;
  }),
];
