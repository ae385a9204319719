/**
 * Lets `instanceof` recognise objects of another copy of the package, and the class keep its name when it is minified. In
 * CommonJS, `require("stepweave")` and an entry such as `stepweave/testing` are two copies.
 */
export function knownInAllCopies(type: { readonly prototype: object }, name: string): void {
  const mark = Symbol.for(`stepweave.${name}`);
  Object.defineProperty(type.prototype, mark, { value: true });
  Object.defineProperties(type, {
    name: { value: name, configurable: true },
    [Symbol.hasInstance]: {
      value(this: unknown, value: unknown): boolean {
        // A subclass is recognised by its own mark.
        if (this !== type) return Function.prototype[Symbol.hasInstance].call(this, value);
        return isKnownAs(value, name);
      },
    },
  });
}

/** Whether any copy of the package has made this, of the class of this name. */
export function isKnownAs(value: unknown, name: string): boolean {
  return typeof value === "object" && value !== null && Symbol.for(`stepweave.${name}`) in value;
}
