/** In place of a length: what follows is why the relay broke off. */
const BROKEN = 0xffffffff;

/**
 * Reads the pieces in which a relay hands on a body, each after its length in four bytes; a length of zero is the end. A
 * body without one was cut off.
 */
export function unframed(errorFor: (refusal: unknown) => Error): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const head = new Uint8Array(4);
  /** How many bytes of a head have come. */
  let known = 0;
  /** How many bytes of a piece are still to come; undefined within a head. */
  let left: number | undefined;
  let reason = "";
  const decoder = new TextDecoder();
  return new TransformStream({
    transform(chunk, controller) {
      let rest = chunk;
      while (rest.length > 0) {
        if (left === undefined) {
          const part = rest.subarray(0, 4 - known);
          head.set(part, known);
          known += part.length;
          rest = rest.subarray(part.length);
          if (known === 4) left = new DataView(head.buffer).getUint32(0);
        } else if (left === BROKEN) {
          reason += decoder.decode(rest, { stream: true });
          return;
        } else if (left === 0) {
          return;
        } else {
          const part = rest.subarray(0, left);
          controller.enqueue(part);
          left -= part.length;
          rest = rest.subarray(part.length);
          if (left === 0) {
            left = undefined;
            known = 0;
          }
        }
      }
    },
    flush() {
      if (left === 0) return;
      if (left === BROKEN) throw errorFor(parsed(reason));
      throw new TypeError("the relay's connection was cut off");
    },
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
