import { findNodeAtLocation, type Node, parseTree } from "jsonc-parser";

/** Where the paths of a document are in its text. */
export class Lines {
  readonly #text: string;
  #tree: Node | undefined | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  /** Line and column of a problem, as `12:5`; of the nearest thing around it where the document does not have its path. */
  of(problem: { readonly path: string; readonly code?: string; readonly message?: string }): string {
    // The engine knows where text stops being JSON.
    const found = problem.code === "not_json" ? / at line (\d+) column (\d+)$/.exec(problem.message ?? "") : null;
    if (found !== null) return `${found[1]}:${found[2]}`;
    // What is wrong with the whole, such as its depth, may keep it from being read.
    const offset = (problem.path === "" ? undefined : this.#nodeAt(segmentsOf(problem.path)))?.offset ?? 0;
    const before = this.#text.slice(0, offset);
    return `${before.split("\n").length}:${offset - before.lastIndexOf("\n")}`;
  }

  #nodeAt(segments: readonly (string | number)[]): Node | undefined {
    if (this.#tree === null) this.#tree = parseTree(this.#text);
    const root = this.#tree;
    for (let length = segments.length; root !== undefined && length > 0; length -= 1) {
      const found = findNodeAtLocation(root, segments.slice(0, length));
      // A key is where a person looks for its value.
      if (found !== undefined) return found.parent?.type === "property" ? found.parent : found;
    }
    return root;
  }
}

/** The keys and indices of a path such as `agents["a b"].tools[0]`. */
function segmentsOf(path: string): (string | number)[] {
  return [...path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([^.[\]]+)/g)].map(([, quoted, index, name]) => {
    if (quoted !== undefined) return JSON.parse(`"${quoted}"`) as string;
    return index === undefined ? (name as string) : Number(index);
  });
}
