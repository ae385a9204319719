// Takes the tables out of the engine's file that `ts/wasm/powers.ts` computes anew where it begins.
import { readFileSync } from "node:fs";
import { transformSync } from "esbuild";

/** The engine with zeros in place of the tables, and the address of each of them in its memory. */
export async function withoutTables(wasm) {
  const bytes = Buffer.from(wasm);
  const addresses = {};
  for (const [name, table] of Object.entries(await tables())) {
    const place = bytes.indexOf(table);
    addresses[name] = undefined;
    // A build of the engine that reads no such numbers has no such table.
    if (place < 0) continue;
    const segment = segments(bytes).find(({ start, end }) => start <= place && place + table.length <= end);
    if (segment === undefined) throw new Error(`the engine has no table \`${name}\` in one piece any more: take it out of ts/wasm/powers.ts`);
    addresses[name] = segment.address + place - segment.start;
    bytes.fill(0, place, place + table.length);
  }
  return { bytes, addresses };
}

/** What the engine's own code computes. */
async function tables() {
  const source = readFileSync(new URL("ts/wasm/powers.ts", import.meta.url), "utf8");
  const { code } = transformSync(source, { loader: "ts", format: "esm" });
  const { powers } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  return powers();
}

const DATA_SECTION = 11;
const I32_CONST = 0x41;

/** The pieces of memory that the file fills: where they stand in the file, and their address. */
function segments(bytes) {
  let at = 8;
  const number = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const section = bytes[at++];
    const end = number() + at;
    if (section === DATA_SECTION) {
      return Array.from({ length: number() }, () => {
        if (number() !== 0 || bytes[at++] !== I32_CONST) throw new Error("the engine fills memory in a way that this build does not know");
        const address = number();
        at += 1;
        const length = number();
        at += length;
        return { address, start: at - length, end: at };
      });
    }
    at = end;
  }
  return [];
}
