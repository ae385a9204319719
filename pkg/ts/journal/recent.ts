/** Remembers what was set last; what was set long ago is forgotten and has to be found out again. */
export class Recent<Value> {
  readonly #values = new Map<string, Value>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  put(key: string, value: Value): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size > this.#capacity) this.forget(this.#values.keys().next().value as string);
  }

  forget(key: string): void {
    this.#values.delete(key);
  }
}
