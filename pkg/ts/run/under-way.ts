/**
 * The operations of a run in progress, by their numbers. A map would do, but it rehashes again and again
 * while a few come and go, which takes longer than a step.
 */
export class UnderWay<What> {
  // A power of two of slots: the last bits of a number are its slot. 0 is no number.
  #numbers = [0, 0, 0, 0];
  #things: (What | undefined)[] = [undefined, undefined, undefined, undefined];
  #count = 0;

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  has(number: number): boolean {
    return this.#numbers[this.#place(number)] === number;
  }

  add(number: number, thing: What): void {
    this.take(number);
    while (this.#numbers[this.#place(number)] !== 0) this.#grow();
    const place = this.#place(number);
    this.#numbers[place] = number;
    this.#things[place] = thing;
    this.#count += 1;
  }

  /** Removes the operation of this number; nothing if it is not in progress any more. */
  take(number: number): What | undefined {
    const place = this.#place(number);
    if (this.#numbers[place] !== number) return undefined;
    const thing = this.#things[place];
    this.#numbers[place] = 0;
    this.#things[place] = undefined;
    this.#count -= 1;
    return thing;
  }

  /** Takes out everything, in the order in which it began. */
  takeAll(): What[] {
    const numbers = this.#numbers.filter((number) => number !== 0).sort((one, other) => one - other);
    return numbers.map((number) => this.take(number) as What);
  }

  #place(number: number): number {
    return number & (this.#numbers.length - 1);
  }

  /** Numbers whose last bits differ still do so when one more bit is looked at. */
  #grow(): void {
    const numbers = this.#numbers;
    const things = this.#things;
    this.#numbers = new Array<number>(numbers.length * 2).fill(0);
    this.#things = new Array<What | undefined>(numbers.length * 2).fill(undefined);
    for (let place = 0; place < numbers.length; place += 1) {
      const number = numbers[place] as number;
      if (number === 0) continue;
      this.#numbers[this.#place(number)] = number;
      this.#things[this.#place(number)] = things[place];
    }
  }
}
