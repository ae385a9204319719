class Given {
  constructor(value: object) {
    return value;
  }
}

/**
 * Marks an object as copied in a way, by a private field of its own, which its copies and spreads do not have. A WeakSet
 * would keep every mark in one table, and the collector goes through it again and again: millions of marks take minutes.
 */
class Mark extends Given {
  readonly #way: object;

  constructor(value: object, way: object) {
    super(value);
    this.#way = way;
  }

  static wayOf(value: object): object | undefined {
    return #way in value ? (value as Mark).#way : undefined;
  }
}

/** Marks a copy that has not been frozen yet. */
export function mark(copy: object, way: object): void {
  new Mark(copy, way);
}

/** In which way a value was copied; undefined for what is no copy. */
export function wayOf(value: object): object | undefined {
  return Mark.wayOf(value);
}
