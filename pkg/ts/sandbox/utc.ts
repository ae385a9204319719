const { Date: RealDate } = globalThis;

/**
 * What the interpreter's C library takes for the host's `Date`: it stands still at 1970, in UTC. Code that is run
 * again, on another machine, must find the same time and the same time zone.
 */
export class Date extends RealDate {
  static override now(): number {
    return 0;
  }

  constructor(...parts: [] | [number] | [number, number, number]) {
    if (parts.length === 3) super(RealDate.UTC(...parts));
    else super(parts[0] ?? 0);
  }

  override getFullYear(): number {
    return this.getUTCFullYear();
  }

  override getMonth(): number {
    return this.getUTCMonth();
  }

  override getDate(): number {
    return this.getUTCDate();
  }

  override getDay(): number {
    return this.getUTCDay();
  }

  override getHours(): number {
    return this.getUTCHours();
  }

  override getMinutes(): number {
    return this.getUTCMinutes();
  }

  override getSeconds(): number {
    return this.getUTCSeconds();
  }

  override getTimezoneOffset(): number {
    return 0;
  }
}
