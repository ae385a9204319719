// React Flow's page; its acts are those of the builder's page, as far as it has them.

/** What its first card is found by: one that has its place. */
export const FIRST = '.react-flow__node[style*="visible"]';

/** Where a graph is opened. */
export function addressOf(origin, graph, how) {
  return `${origin}/flow/?graph=${graph}&how=${how}`;
}

/** What the acts are done with. */
export class ReactFlow {
  canvas = ".react-flow__pane";
  card = ".react-flow__node";
  /** Its zoom is 2 to the power of a five hundredth of the wheel's way, the builder's e to that of a hundredth. */
  pinch = 0.01 / (0.002 * Math.LN2);
  #page;

  constructor(page) {
    this.#page = page;
  }

  field() {
    return this.#page.getByLabel("Name");
  }

  insertButton() {
    return this.#page.getByRole("button", { name: "Insert" });
  }

  undoButton() {
    return this.#page.getByRole("button", { name: "Undo" });
  }

  startStream() {
    return this.#page.getByRole("button", { name: "Run" }).click();
  }

  stopStream() {
    return this.#page.getByRole("button", { name: "Stop" }).click();
  }
}
