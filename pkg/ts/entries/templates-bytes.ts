import * as templates from "#templates-text";
import { decode } from "./decode.js";

/** The bytes of what reads templates and expressions, out of the text they are shipped in. */
export function bytes(): Uint8Array<ArrayBuffer> {
  return decode(templates);
}
