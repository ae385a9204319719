// A workflow in the part of an address that no browser sends to a server: whoever has the link has a copy of it.
import { fromBase64, toBase64 } from "./base64.js";
import type { Outcome } from "./outcome.js";
import { flowIn, flowLink } from "./store/trail.js";

/** How many bytes a link holds, which are a third more characters: Safari and many programs that pass links on take no more than 80,000. */
const MOST_PACKED = 45_000;
/** How large a workflow in a link may be once it is unpacked, in bytes: as large as a file. */
const MOST_BYTES = 10_000_000;

const TOO_LONG = "This workflow is too large for a link: download the file instead, and pass that on.";
const DAMAGED = "The workflow in this link cannot be read: some programs cut long links. Ask for the file instead.";

/** The link to this page that brings a document along. */
export async function linkTo(document: string): Promise<Outcome> {
  try {
    const bytes = await bytesOf(new Blob([document]).stream().pipeThrough(new CompressionStream("deflate-raw")), MOST_PACKED);
    return { value: flowLink(toText(bytes)) };
  } catch {
    return { error: TOO_LONG };
  }
}

/** The document that a link brings along. */
export async function documentIn(link: string): Promise<Outcome> {
  try {
    const packed = new Blob([fromText(flowIn(link) ?? "")]).stream();
    const bytes = await bytesOf(packed.pipeThrough(new DecompressionStream("deflate-raw")), MOST_BYTES);
    return { value: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { error: DAMAGED };
  }
}

/** What a stream gives, which is read only as far as it may be large. */
async function bytesOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(pieces).arrayBuffer());
    pieces.push(value);
    length += value.length;
    if (length > most) {
      reader.cancel().catch(() => {});
      throw new RangeError("what is packed is too large");
    }
  }
}

/** Bytes as letters that stand in an address as they are. */
function toText(bytes: Uint8Array): string {
  return toBase64(bytes).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

function fromText(text: string): Uint8Array<ArrayBuffer> {
  return fromBase64(text.replace(/-/g, "+").replace(/_/g, "/"));
}
