// What tells runs of one workflow apart: what each was given, or what it asks.

/** How many letters of it a list has. */
const MOST_LETTERS = 48;

/** The first words of the first text that a run was given over the initial state of its document, by the first entry of its journal; else those of what it says to a person. */
export function about(first: string, document: string, said: string): string {
  // What the engine asks of a tool has its name as code.
  return beginning(given(first, document)) || beginning(said.replace(/^(May )`(.*)`( be called\?)$/, "$1“$2”$3"));
}

function given(first: string, document: string): string {
  try {
    const { state = {} } = (JSON.parse(first) as { ok?: { state?: Readonly<Record<string, unknown>> } }).ok ?? {};
    const { initialState = {} } = JSON.parse(document) as { initialState?: Readonly<Record<string, unknown>> };
    const values = Object.keys(state).flatMap((key) => (state[key] === initialState[key] ? [] : [state[key]]));
    return values.find((value) => typeof value === "string" && value.trim() !== "")?.toString() ?? "";
  } catch {
    // What cannot be read says nothing, and is no reason not to offer the run.
    return "";
  }
}

/** The first words of a text, as one line. */
function beginning(text: string): string {
  const line = text.trim().slice(0, 4 * MOST_LETTERS).replaceAll(/\s+/g, " ").trim();
  return line.length > MOST_LETTERS ? `${line.slice(0, MOST_LETTERS).trimEnd()}…` : line;
}
