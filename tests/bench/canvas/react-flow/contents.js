/** What stands on each card; only those who follow a card learn of its changes. */
export class Contents {
  #all = new Map();
  #followers = new Map();
  #following = new Map();
  #changed = new Set();

  of(id) {
    return this.#all.get(id) ?? NOTHING;
  }

  write(id, change) {
    this.#all.set(id, { ...this.#all.get(id), ...change });
    for (const listener of this.#followers.get(id) ?? []) listener();
  }

  /** Writes what comes often: it is shown with the next frame. */
  writeSoon(id, change) {
    this.#all.set(id, { ...this.#all.get(id), ...change });
    if (this.#changed.size === 0) requestAnimationFrame(() => this.#show());
    this.#changed.add(id);
  }

  /** The same function each time for the same card. */
  following(id) {
    const known = this.#following.get(id);
    if (known !== undefined) return known;
    const follow = (listener) => {
      const listeners = this.#followers.get(id) ?? new Set();
      this.#followers.set(id, listeners.add(listener));
      return () => listeners.delete(listener);
    };
    this.#following.set(id, follow);
    return follow;
  }

  #show() {
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const id of changed) this.write(id, {});
  }
}

const NOTHING = {};
