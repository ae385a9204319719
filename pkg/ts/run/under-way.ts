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
    return this.#numbers[this.#slot(number)] === number;
  }

  add(number: number, thing: What): void {
    this.take(number);
    while (this.#numbers[this.#slot(number)] !== 0) this.#grow();
    const slot = this.#slot(number);
    this.#numbers[slot] = number;
    this.#things[slot] = thing;
    this.#count += 1;
  }

  get things(): What[] {
    return this.#things.filter((thing) => thing !== undefined);
  }

  /** Whether there is one of which this holds. */
  some(holds: (thing: What) => boolean): boolean {
    return this.#things.some((thing) => thing !== undefined && holds(thing));
  }

  /** Removes the operation of this number; nothing if it is not in progress any more. */
  take(number: number): What | undefined {
    const slot = this.#slot(number);
    if (this.#numbers[slot] !== number) return undefined;
    const thing = this.#things[slot];
    this.#numbers[slot] = 0;
    this.#things[slot] = undefined;
    this.#count -= 1;
    return thing;
  }

  /** Takes out everything, in the order in which it began. */
  takeAll(): What[] {
    const numbers = this.#numbers.filter((number) => number !== 0).sort((one, other) => one - other);
    return numbers.map((number) => this.take(number) as What);
  }

  #slot(number: number): number {
    return number & (this.#numbers.length - 1);
  }

  /** Numbers whose last bits differ still do so when one more bit is looked at. */
  #grow(): void {
    const numbers = this.#numbers;
    const things = this.#things;
    this.#numbers = new Array<number>(numbers.length * 2).fill(0);
    this.#things = new Array<What | undefined>(numbers.length * 2).fill(undefined);
    for (let slot = 0; slot < numbers.length; slot += 1) {
      const number = numbers[slot] as number;
      if (number === 0) continue;
      this.#numbers[this.#slot(number)] = number;
      this.#things[this.#slot(number)] = things[slot];
    }
  }
}
