// Builds entries as esbuild splits them, then puts its chunks together, so that an entry loads a few files.
import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { decode, encode } from "@jridgewell/sourcemap-codec";
import { build, transform } from "esbuild";
import { grouped } from "./grouping.mjs";

/** What a chunk imports from another, as esbuild writes it where it keeps white space. */
const IMPORTED = /\bimport \{([^}]*)\} from "\.\/([^"]+)";/g;

/** How esbuild calls a chunk that is no entry. */
const isUnnamed = (chunk) => chunk.startsWith("chunk-");

/** The input that makes a chunk the engine's. */
const GLUE = /_glue\.js$/;

const SOURCE_MAP = "\n//# sourceMappingURL=";

/**
 * What esbuild makes of these options in fewer files, and what it says of them; for `main` see `grouped`. The code is read
 * twice and made short the second time: until then it says what is pure, and what its chunks import from each other.
 */
export async function buildInFewFiles(main, { entryPoints, plugins, ...options }) {
  const readable = { minify: false, minifySyntax: true, lineLimit: 0, sourcemap: "inline" };
  const split = await build({ ...options, ...readable, entryPoints, plugins, splitting: true, chunkNames: "chunk-[hash]", metafile: true });
  const texts = new Map(split.outputFiles.map(({ path, text }) => [basename(path), text]));
  const outputs = new Map(Object.entries(split.metafile.outputs).map(([path, output]) => [basename(path), output]));

  const files = filesOf(grouped(await measured(outputs, texts), main), outputs, texts);
  const names = files.map(({ name }) => ({ in: name, out: name.replace(/\.js$/, "") }));
  const joined = await build({ ...options, entryPoints: names, plugins: [joining(files, texts, options.outdir)], metafile: true });
  const outputFiles = joined.outputFiles.map(({ path, text }) => ({ path, text: path.endsWith(".map") ? ofSources(text) : text }));
  return { outputFiles, metafile: { outputs: described(joined.metafile.outputs, files, outputs) } };
}

/** The chunks as `grouped` takes them. */
async function measured(outputs, texts) {
  const chunks = [...outputs].map(async ([chunk, { imports, inputs, entryPoint }]) => {
    const by = (kind) => imports.filter((it) => it.kind === kind).map(({ path }) => basename(path)).filter((it) => outputs.has(it));
    // A program reads its files from a disk, where another one is nothing.
    const entry = entryPoint !== undefined && !isUnnamed(chunk) && !texts.get(chunk).startsWith("#!");
    const engine = Object.keys(inputs).some((input) => GLUE.test(input));
    return [chunk, { size: await compressed(texts.get(chunk)), imports: by("import-statement"), uses: by("dynamic-import"), entry, engine }];
  });
  return new Map(await Promise.all(chunks));
}

async function compressed(text) {
  const { code } = await transform(text.slice(0, text.lastIndexOf(SOURCE_MAP)), { minify: true, format: "esm" });
  return gzipSync(code).length;
}

/**
 * The files that groups of chunks become: what each imports from which chunk of another, and under which names it exports what
 * others import. The name of a file changes with any code and any group, so that a cache may keep it for ever.
 */
function filesOf(groups, outputs, texts) {
  const files = groups.map((chunks, index) => {
    const name = isUnnamed(chunks[0]) ? `chunk-${digest([index, groups])}.js` : chunks[0];
    return { name, chunks, entryPoint: outputs.get(chunks[0]).entryPoint, imported: importedBy(chunks, texts) };
  });
  for (const file of files) {
    let count = 0;
    // An entry, or what is loaded on use, exports what others know by name.
    const given = (name) => (file.entryPoint === undefined ? shortName(count++) : name);
    const wanted = file.chunks.map((chunk) => [chunk, unique(files.flatMap(({ imported }) => imported.get(chunk) ?? []))]);
    file.exported = new Map(wanted.map(([chunk, names]) => [chunk, new Map(names.map((name) => [name, given(name)]))]));
  }
  return files;
}

/** What these chunks import from others, by the others' names. */
function importedBy(chunks, texts) {
  const imported = new Map();
  for (const [, list, from] of chunks.flatMap((chunk) => [...texts.get(chunk).matchAll(IMPORTED)])) {
    if (!texts.has(from) || chunks.includes(from)) continue;
    const names = list.split(",").map((item) => item.trim().split(" as ")[0]);
    imported.set(from, unique([...(imported.get(from) ?? []), ...names]));
  }
  return imported;
}

const unique = (list) => [...new Set(list)];
const digest = (value) => createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 8).toUpperCase();

/** Names of one letter, then of two. */
const LETTERS = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"];
const NAMES = [...LETTERS, ...LETTERS.flatMap((first) => LETTERS.map((second) => first + second))];

function shortName(index) {
  const name = NAMES[index];
  if (name === undefined) throw new Error(`a file exports more than ${NAMES.length} names to others: give pkg/chunks.mjs longer ones`);
  return name;
}

/** Modules that only export: what a file exports, and what it imports from a chunk of another file, and from all of that file. */
const FILE = "exports of a file";
const OTHER_CHUNK = "exports of another chunk";
const OTHER_FILE = "exports of another file";

/**
 * Has esbuild make each file of its chunks. What these import from another file comes through a module with the names of the
 * other chunk, and that through one with all that the one file imports from the other, so that there is one statement for it.
 */
function joining(files, texts, folder) {
  const named = new Map(files.map((file) => [file.name, file]));
  const home = new Map(files.flatMap((file) => file.chunks.map((chunk) => [chunk, file])));
  const inside = (file, chunk) => ({ path: join(folder, chunk), pluginData: { file } });
  const passed = (file, chunk) => (file.imported.get(chunk) ?? []).map((name) => [home.get(chunk).exported.get(chunk).get(name), name]);

  /** Where a chunk of a file, or one of the modules between files, finds what it imports. */
  const found = (path, kind, namespace, { file }) => {
    const name = basename(path);
    if (namespace === OTHER_FILE) return { path, external: true };
    if (namespace === OTHER_CHUNK) return { path: `${file.name} ${name}`, namespace: OTHER_FILE, pluginData: { file, other: named.get(name) } };
    const target = home.get(name);
    if (target === undefined) return { path, external: true };
    if (kind === "dynamic-import") return { path: `./${target.name}`, external: true };
    return target === file ? inside(file, name) : { path: `${file.name} ${name}`, namespace: OTHER_CHUNK, pluginData: { file, chunk: name } };
  };
  const entry = (file) => (file.entryPoint === undefined ? { path: file.name, namespace: FILE, pluginData: { file } } : inside(file, file.chunks[0]));

  return {
    name: "chunks",
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /.*/ }, ({ path, kind, namespace, pluginData }) => (kind === "entry-point" ? entry(named.get(path)) : found(path, kind, namespace, pluginData)));
      const load = (namespace, textOf) => onLoad({ filter: /.*/, namespace }, ({ path, pluginData }) => ({ contents: textOf(pluginData, basename(path)), pluginData }));
      load("file", (_, chunk) => texts.get(chunk));
      load(FILE, ({ file }) => file.chunks.map((chunk) => exporting([...file.exported.get(chunk)], chunk)).join("\n"));
      load(OTHER_CHUNK, ({ file, chunk }) => exporting(passed(file, chunk), home.get(chunk).name));
      load(OTHER_FILE, ({ file, other }) => exporting(other.chunks.flatMap((chunk) => passed(file, chunk)).map(([name]) => [name, name]), other.name));
    },
  };
}

/** Exports names of another module, each by a name of its own. */
function exporting(names, from) {
  return names.length === 0 ? `import "./${from}";` : `export { ${names.map(([name, as]) => `${name} as ${as}`).join(", ")} } from "./${from}";`;
}

/** A source map without what no source map led to the first time: modules that only export, and esbuild's own helpers. */
function ofSources(text) {
  const { mappings, sources, sourcesContent, ...map } = JSON.parse(text);
  const isSource = (source) => !source.startsWith("exports of ") && !isUnnamed(source);
  const kept = sources.flatMap((source, index) => (isSource(source) ? [index] : []));
  const moved = new Map(kept.map((index, position) => [index, position]));
  const lines = decode(mappings).map((line) => line.map(([column, source, ...rest]) => (moved.has(source) ? [column, moved.get(source), ...rest] : [column])));
  return JSON.stringify({ ...map, sources: kept.map((index) => sources[index]), sourcesContent: kept.map((index) => sourcesContent[index]), mappings: encode(lines) });
}

/** The outputs of the second time, with the entries and the inputs of the first. */
function described(outputs, files, chunks) {
  const named = new Map(files.map((file) => [file.name, file]));
  const pathOf = new Map(Object.keys(outputs).map((path) => [basename(path), path]));
  const all = Object.entries(outputs).map(([path, output]) => {
    const file = named.get(basename(path));
    if (file === undefined) return [path, output];
    const imports = output.imports.map((it) => (pathOf.has(basename(it.path)) ? { path: pathOf.get(basename(it.path)), kind: it.kind } : it));
    return [path, { ...output, imports, entryPoint: file.entryPoint, inputs: Object.assign({}, ...file.chunks.map((chunk) => chunks.get(chunk).inputs)) }];
  });
  return Object.fromEntries(all);
}
