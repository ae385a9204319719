/** Names of which none is given twice: one that is taken gets a number. */
export class FreeNames {
  readonly #taken: Set<string>;
  /** The next number of each name, so that it is not counted from the beginning for each that is called the same. */
  readonly #next = new Map<string, number>();

  constructor(taken: readonly string[] = []) {
    this.#taken = new Set(taken);
  }

  /** Keeps a name, so that none is called so. */
  keep(name: string): void {
    this.#taken.add(name);
  }

  /** A name that nothing is called yet, and is from now on. */
  take(plain: string): string {
    let name = plain;
    let number = this.#next.get(plain) ?? 2;
    for (; this.#taken.has(name); number += 1) name = `${plain}_${number}`;
    this.#next.set(plain, number);
    this.#taken.add(name);
    return name;
  }
}
