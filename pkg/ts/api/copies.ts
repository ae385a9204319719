// Objects of another copy of the package are recognised too: in CommonJS, `require("stepweave")` and an entry such as
// `stepweave/testing` are two copies. Each class that users know has its name as a static member, since minifying changes
// it, a static `Symbol.hasInstance` that calls `isInstance`, and a constructor that calls `markInAllCopies`. A call beside the
// class would keep it in every bundle that needs anything else of its file.

/** A class, by the name that it has in all copies. */
interface Named {
  readonly name: string;
  readonly prototype: object;
}

/** Marks all objects of a class. Once marked, it stays as it is. */
export function markInAllCopies({ name, prototype }: Named): void {
  Object.defineProperty(prototype, markOf(name), { value: true });
}

/** Whether this is an object of `asked`, which is `type` or a class that extends it. */
export function isInstance(value: unknown, asked: unknown, type: Named): boolean {
  // A subclass is recognised by its own mark.
  return asked === type ? isKnownAs(value, type.name) : Function.prototype[Symbol.hasInstance].call(asked, value);
}

/** Whether any copy of the package has made this, of the class of this name. */
export function isKnownAs(value: unknown, name: string): boolean {
  return typeof value === "object" && value !== null && markOf(name) in value;
}

function markOf(name: string): symbol {
  return Symbol.for(`stepweave.${name}`);
}
