// Recorded answers of real endpoints. They lie beside the repository, in shared/recordings, or where STEPWEAVE_RECORDINGS says:
// a folder for each host, and in it the bytes of an answer (`*.sse`) beside its request (`*.json`).
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDER = process.env.STEPWEAVE_RECORDINGS ?? fileURLToPath(new URL("../../../shared/recordings", import.meta.url));

/** Said where the recordings are not. */
export const ABSENT = `skipped: there are no recordings in ${FOLDER}; STEPWEAVE_RECORDINGS can name another folder`;

/** The wire format by what the request's URL ends with. */
const FORMATS = [
  [/\/chat\/completions$/, "chat"],
  [/\/responses(\/[^/]+)?$/, "responses"],
  [/\/v1\/messages$/, "messages"],
  [/:streamGenerateContent$/, "gemini"],
];

/** The recordings as `{ host, name, format, bytes }`, in order; undefined where there are none. */
export function recordings() {
  if (!existsSync(FOLDER)) return undefined;
  const hosts = readdirSync(FOLDER, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return hosts.map(({ name }) => name).sort().flatMap(ofHost);
}

function ofHost(host) {
  const files = readdirSync(join(FOLDER, host)).filter((file) => file.endsWith(".sse"));
  return files.sort().map((file) => {
    const name = file.slice(0, -".sse".length);
    const { uri } = JSON.parse(readFileSync(join(FOLDER, host, `${name}.json`), "utf8"));
    return { host, name, format: formatOf(uri), bytes: readFileSync(join(FOLDER, host, file)) };
  });
}

function formatOf(uri) {
  const { pathname } = new URL(uri);
  const [, format] = FORMATS.find(([pattern]) => pattern.test(pathname)) ?? [];
  if (format === undefined) throw new Error(`the wire format of ${uri} is not known`);
  return format;
}
