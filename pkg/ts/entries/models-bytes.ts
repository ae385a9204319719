import * as models from "#models-text";
import { decode } from "./decode.js";

/** The bytes of what asks models, out of the text they are shipped in. */
export function bytes(): Uint8Array<ArrayBuffer> {
  return decode(models);
}
