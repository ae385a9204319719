// Which chunks of a build go into one file. esbuild makes a chunk for each set of entries that have code in common, so that
// nobody loads what they do not need: dozens of small files, each of which is fetched and compressed by itself. Here they are
// put together as long as nobody loads much more.

/** About how many compressed bytes a file needs besides its code: imports, exports, and words that compression has to meet once. */
const FILE = 200;

/** The most compressed bytes by which anything that is loaded at once may grow, by this estimate. */
const GROWTH = 1000;

/**
 * The files to make, each as a list of names of chunks. A chunk has its compressed `size`, the names of those that it
 * `imports` and of those that it `uses`, which are loaded later, and says whether it is an `entry` of the package and whether
 * it has the `engine`. What the entry `main` imports, and nobody needs without the engine, is together.
 */
export function grouped(chunks, main) {
  const all = [...chunks.keys()];
  const entries = all.filter((name) => chunks.get(name).entry);
  const state = { chunks, files: new Map(all.map((name) => [name, [name]])), loads: [] };
  state.loads = loadsOf(state, entries);

  // Entries, and what is loaded on use, are files of their own: others know the names of what these export.
  const uses = union([...chunks.values()].map((chunk) => chunk.uses));
  const free = [...reached(state, entries)].filter((name) => !chunks.get(name).entry && !uses.has(name));
  const withMain = reached(state, [main]);
  const withoutEngine = union(state.loads.filter((load) => !hasEngine(state, load)).map(({ names }) => names));
  const isOfMain = (name) => withMain.has(name) && !withoutEngine.has(name);
  for (const members of partsOf(state, free.filter(isOfMain), entries)) join(state, members);
  joinSome(state, free.filter((name) => withMain.has(name) && !isOfMain(name)));
  joinSome(state, free.filter((name) => !withMain.has(name)));
  return [...new Set(state.files.values())];
}

/**
 * One file of what is the main entry's; or two, where an entry needs a part of it. What leads to something that is loaded on use
 * is apart then: Rolldown and webpack keep it, and all that comes after it, for whoever takes anything of its file.
 */
function partsOf(state, members, entries) {
  const isPart = (names) => members.some((name) => names.has(name)) && members.some((name) => !names.has(name));
  if (!entries.some((entry) => isPart(reached(state, [entry])))) return [members];
  const leadsOn = (name) => [...reached(state, [name])].some((other) => state.chunks.get(other).uses.length > 0);
  return [members.filter(leadsOn), members.filter((name) => !leadsOn(name))];
}

const union = (lists) => new Set(lists.flatMap((list) => [...list]));

/** All that is loaded with these chunks: what they import and what is in the same files, and, if wanted, what they use. */
function reached({ chunks, files }, names, ways = ["imports"]) {
  const found = new Set(names);
  for (const name of found) {
    for (const next of [...files.get(name), ...ways.flatMap((way) => chunks.get(name)[way])]) found.add(next);
  }
  return found;
}

/**
 * All that programs load at once: an entry with what it imports, and what comes later with all that is not there `before`. Each
 * leads to chunks that may come after it, and grows by what the files bring that it does not need.
 */
function loadsOf(state, entries) {
  const loads = new Map();
  const add = (first, before, leadsTo) => {
    const names = new Set([...reached(state, [first])].filter((name) => !before.has(name)));
    const others = [...before].filter((name) => !entries.includes(name));
    loads.set(JSON.stringify([[...names].sort(), others.sort()]), { names, before, leadsTo, growth: 0 });
  };
  for (const entry of entries) {
    const leadsTo = reached(state, [entry], ["imports", "uses"]);
    add(entry, new Set(), leadsTo);
    for (const later of union([...leadsTo].map((name) => state.chunks.get(name).uses))) add(later, reached(state, [entry]), leadsTo);
  }
  return [...loads.values()];
}

function hasEngine({ chunks }, { names, before }) {
  return [...names, ...before].some((name) => chunks.get(name).engine);
}

/** Makes these chunks one file, which comes as a whole wherever one of them does. */
function join(state, members) {
  for (const name of members) state.files.set(name, members);
  const all = [...reached(state, members)];
  for (const { names, before } of state.loads) {
    if (!members.some((name) => names.has(name))) continue;
    for (const name of all) if (!before.has(name)) names.add(name);
  }
}

/** Joins two of these chunks, then two of the files that there are then, the cheapest first, for as long as it may be. */
function joinSome(state, names) {
  for (;;) {
    const files = [...new Set(names.map((name) => state.files.get(name)))].map((members) => fileOf(state, members));
    const pairs = files.flatMap((left, index) => files.slice(0, index).map((right) => pairOf(state, left, right)));
    const possible = pairs.filter(({ cost }) => cost < Infinity).sort((left, right) => left.cost - right.cost);
    const best = possible.find((pair) => !isTorn(state, pair));
    if (best === undefined) return;
    for (const [load, growth] of best.growths) load.growth += growth;
    join(state, best.members);
  }
}

function fileOf(state, members) {
  return { members, all: reached(state, members), loads: state.loads.filter(({ names }) => names.has(members[0])) };
}

/** Two files as one: by how much each load grows, and what that costs. Squares spread it, so that none grows for all others. */
function pairOf({ chunks }, left, right) {
  const members = [...left.members, ...right.members];
  const all = [...union([left.all, right.all])];
  const uses = all.flatMap((name) => chunks.get(name).uses);
  const growths = [];
  // Where nothing loads both, nothing is spared.
  let cost = left.loads.some((load) => right.loads.includes(load)) ? 0 : Infinity;
  for (const load of union([left.loads, right.loads])) {
    const more = all.filter((name) => !load.names.has(name) && !load.before.has(name));
    const growth = more.reduce((sum, name) => sum + chunks.get(name).size, -FILE);
    const grown = load.growth + growth;
    growths.push([load, growth]);
    // Nobody is led to code that they could not come to before.
    if ((growth > 0 && grown > GROWTH) || uses.some((name) => !load.leadsTo.has(name))) cost = Infinity;
    cost += growth + Math.max(0, grown) ** 2 - Math.max(0, load.growth) ** 2;
  }
  return { members, all, growths, cost };
}

/** Whether a chunk that is none of a file's would import the file and be imported by it. */
function isTorn(state, { members, all }) {
  return all.some((name) => !members.includes(name) && members.some((member) => reached(state, [name]).has(member)));
}
