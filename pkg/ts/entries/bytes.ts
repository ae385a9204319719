import * as engine from "#engine-text";
import { decode } from "./decode.js";

/** The engine's bytes, out of the text they are shipped in. */
export function bytes(): Uint8Array<ArrayBuffer> {
  return decode(engine);
}
