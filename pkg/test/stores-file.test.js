import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { appendFile, copyFile, mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Workflow } from "stepweave";
import { handler } from "stepweave/http";
import { fileStore } from "stepweave/stores/node";
import { rejection } from "./support.js";

const SUMMARY = { status: "running", documentName: "w", updatedAt: 1 };

const script = (name) => fileURLToPath(new URL(name, import.meta.url));
const entry = (key, ok = key) => ({ key, at: 1, ok });
const keys = (journal) => journal?.entries.map(({ key }) => key);

/** Runs the body with a folder that is removed again. */
async function inFolder(body) {
  const folder = await mkdtemp(join(tmpdir(), "stepweave-file-"));
  try {
    await body(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A journal `run` of three appends and the path of its file. */
async function threeLines(folder) {
  const store = fileStore(folder);
  await store.append("run", [entry("a"), entry("b", "é")], 0, SUMMARY);
  await store.append("run", [entry("c")], 2, SUMMARY);
  await store.append("run", [entry("d"), entry("e")], 3, SUMMARY);
  const [name] = await readdir(folder);
  return join(folder, name);
}

test("a file is lines of JSON that a person can read, with a name that says whose it is", () =>
  inFolder(async (folder) => {
    const path = await threeLines(folder);
    assert.match(path, /\/run-[0-9a-f]{32}\.jsonl$/);
    const lines = (await readFile(path, "utf8")).split("\n").filter(Boolean).map((line) => JSON.parse(line));
    assert.deepEqual(lines.map(({ id, from, to }) => ({ id, from, to })), [{ id: "run", from: 0, to: 2 }, { id: undefined, from: 2, to: 3 }, { id: undefined, from: 3, to: 5 }]);
    assert.deepEqual(lines[0].entries, [entry("a"), entry("b", "é")]);
    assert.deepEqual(lines.map(({ after }) => after), ["", lines[0].sum, lines[1].sum]);
  }));

test("a cursor that leads to no file which the store could have made is refused", () =>
  inFolder(async (folder) => {
    const store = fileStore(folder);
    for (const id of ["run", "Über/../x", "-", "A".repeat(100)]) await store.append(id, [entry("start")], 0, SUMMARY);
    const found = [];
    for (let cursor; found.length === 0 || cursor !== undefined; ) {
      const page = await store.list({ limit: 1, cursor });
      found.push(...page.runs.map(({ id }) => id));
      cursor = page.cursor;
    }
    assert.equal(found.length, 4);
    for (const position of ["../../etc/passwd", "x", "", `../x-${"0".repeat(32)}`, `run-${"0".repeat(32)}.jsonl`]) {
      const cursor = Buffer.from(JSON.stringify([position])).toString("base64url");
      assert.equal((await rejection(store.list({ cursor }))).message, `\`cursor\` of the list is "${cursor}", which leads to no page`);
      const response = await handler(new Workflow({ name: "w", steps: [] }), { authorize: () => "ann", store })(new Request(`https://flow.example/runs?cursor=${cursor}`));
      assert.equal(response.status, 400, position);
    }
  }));

test("a damaged file keeps no other run from being listed, and whoever loads its own is told", () =>
  inFolder(async (folder) => {
    const path = await threeLines(folder);
    await fileStore(folder).append("whole", [entry("a")], 0, SUMMARY);
    await appendFile(path, "\ngarbage");
    assert.deepEqual((await fileStore(folder).list()).runs.map(({ id }) => id), ["whole"]);
    assert.match((await rejection(fileStore(folder).load("run"))).message, /line 5, is not what was written there$/);
  }));

test("what is left of an append that was cut off at any byte is no entry, and the next append goes on behind it", () =>
  inFolder(async (folder) => {
    const path = await threeLines(folder);
    const whole = await readFile(path);
    const start = whole.lastIndexOf("\n");
    for (const zeros of [0, 1, 2]) {
      for (let length = start; length < whole.length; length += 1) {
        await writeFile(path, whole.subarray(0, length));
        // Blocks that never reached the disk are read as zeros.
        const lost = Math.ceil(((whole.length - length) * zeros) / 2);
        if (zeros > 0) await appendFile(path, Buffer.concat([Buffer.alloc(lost), whole.subarray(length + lost)]));
        const store = fileStore(folder);
        assert.deepEqual(keys(await store.load("run")), ["a", "b", "c"]);
        assert.deepEqual((await store.list()).runs.map(({ id }) => id), ["run"]);
        await store.append("run", [entry("f")], 3, SUMMARY);
        await store.append("run", [entry("g")], 4, SUMMARY);
        for (const each of [store, fileStore(folder)]) assert.deepEqual(keys(await each.load("run")), ["a", "b", "c", "f", "g"], `cut off at ${length}`);
      }
    }
  }));

test("a journal whose first append was cut off was never begun", () =>
  inFolder(async (folder) => {
    const path = await threeLines(folder);
    const whole = await readFile(path);
    const end = whole.indexOf("\n", 1);
    for (let length = 0; length < end; length += 1) {
      await writeFile(path, whole.subarray(0, length));
      const store = fileStore(folder);
      assert.equal(await store.load("run"), undefined);
      assert.deepEqual(await store.list(), { runs: [] });
      await store.append("run", [entry("z")], 0, SUMMARY);
      assert.deepEqual(keys(await fileStore(folder).load("run")), ["z"]);
      assert.deepEqual((await store.list()).runs.map(({ id }) => id), ["run"]);
    }
  }));

test("any changed byte is found, and the file and its line are named", () =>
  inFolder(async (folder) => {
    const path = await threeLines(folder);
    const whole = await readFile(path);
    for (let at = 0; at < whole.length; at += 1) {
      const changed = Buffer.from(whole);
      changed[at] ^= 1;
      await writeFile(path, changed);
      const line = whole.subarray(0, at + 1).toString("latin1").split("\n").length;
      const outcome = await fileStore(folder).load("run").catch((error) => error);
      assert.equal(outcome?.code, "validation", `byte ${at}: ${outcome}`);
      assert.ok(outcome.message.startsWith(`${path}, line `), outcome.message);
      // Where the end of a line is changed, it is the line before or both that are wrong.
      const named = Number(/line (\d+),/.exec(outcome.message)[1]);
      assert.ok(named === line || (whole[at] === 10 && named === line - 1), `byte ${at} of line ${line}: ${outcome.message}`);
      assert.ok(outcome.hint);
      const store = fileStore(folder);
      assert.equal((await rejection(store.append("run", [entry("f")], 5, SUMMARY))).message, outcome.message);
    }
    assert.deepEqual(await readFile(path).then((bytes) => bytes.length), whole.length, "nothing was written meanwhile");
  }));

test("lines that are missing, foreign or of another journal are found", () =>
  inFolder(async (folder) => {
    const path = await threeLines(folder);
    const [, one, two, three] = (await readFile(path, "utf8")).split("\n");
    const other = fileStore(folder);
    await other.append("other", [entry("a"), entry("b")], 0, SUMMARY);
    await other.append("other", [entry("c")], 2, SUMMARY);
    const names = await readdir(folder);
    const otherPath = join(folder, names.find((name) => name.startsWith("other-")));
    const [, otherOne, otherTwo] = (await readFile(otherPath, "utf8")).split("\n");
    for (const [lines, message] of [
      [["", one, three], "line 3, does not continue what stands before it"],
      [["", two, three], "line 2, does not continue what stands before it"],
      [["", one, otherTwo], "line 3, does not continue what stands before it"],
      [["", one, two.slice(0, -9), three], "line 3, is not what was written there"],
      [["", otherOne, otherTwo], "line 2, begins the journal `other`, not `run`"],
      [["", "# my notes", one, two, three], "line 2, is not what was written there"],
      [["{}"], "line 1, is not what was written there"],
      [["", one, two, JSON.stringify(JSON.parse(three), null, 1)], "line 5, is not what was written there"],
    ]) {
      await writeFile(path, lines.join("\n"));
      const error = await rejection(fileStore(folder).load("run"));
      assert.equal(error.code, "validation");
      assert.ok(error.message.startsWith(`${path}, ${message}`), error.message);
    }
    // Those of an append that came second are none of these.
    await writeFile(path, ["", one, two, two, one, three, three].join("\n"));
    assert.deepEqual(keys(await fileStore(folder).load("run")), ["a", "b", "c", "d", "e"]);
  }));

test("a store that has seen a journal notices what others did to its file", () =>
  inFolder(async (folder) => {
    const path = await threeLines(folder);
    const store = fileStore(folder);
    await store.load("run");
    const whole = await readFile(path);
    // Another journal of the same length in the same place.
    await fileStore(folder).delete("run");
    await threeLines(folder);
    assert.equal((await readFile(path)).length, whole.length);
    await store.append("run", [entry("f")], 5, SUMMARY);
    assert.deepEqual(keys(await fileStore(folder).load("run")), ["a", "b", "c", "d", "e", "f"]);
    await truncate(path, 0);
    assert.match((await rejection(store.append("run", [entry("g")], 6, SUMMARY))).message, /holds 0 entries where this run expected 6 entries$/);
  }));

test("other files of the folder are left alone, and a renamed journal is refused", () =>
  inFolder(async (folder) => {
    const path = await threeLines(folder);
    await writeFile(join(folder, "notes.txt"), "mine");
    await mkdir(join(folder, "sub"));
    await writeFile(join(folder, `x-${"0".repeat(32)}.jsonl`), "not a journal");
    const store = fileStore(folder);
    assert.deepEqual((await store.list()).runs.map(({ id }) => id), ["run"]);
    await store.append("second", [entry("a")], 0, SUMMARY);
    const second = join(folder, (await readdir(folder)).find((name) => name.startsWith("second-")));
    await copyFile(path, second);
    assert.match((await rejection(store.load("second"))).message, /begins the journal `run`, not `second`$/);
    await store.delete("run");
    await store.delete("second");
    assert.deepEqual((await readdir(folder)).sort(), ["notes.txt", "sub", `x-${"0".repeat(32)}.jsonl`]);
  }));

test("a folder that cannot be used is named", () =>
  inFolder(async (folder) => {
    const file = join(folder, "file");
    await writeFile(file, "");
    const store = fileStore(join(file, "journals"));
    for (const use of [() => store.load("run"), () => store.append("run", [entry("a")], 0, SUMMARY), () => store.list(), () => store.delete("run")]) {
      const error = await rejection(use());
      assert.equal(error.code, "validation");
      assert.ok(error.message.includes(file), error.message);
      assert.match(error.message, /ENOTDIR|EEXIST/);
      assert.ok(error.hint.includes(file));
    }
  }));

test("of several processes that continue a journal one at a time wins, and what it was acknowledged is there", { timeout: 120_000 }, () =>
  inFolder(async (folder) => {
    const children = Array.from({ length: 4 }, (_, index) => fork(script("stores-racer.script.js"), [folder, `p${index}`, "60"]));
    const reports = await Promise.all(children.map((child) => Promise.all([once(child, "message"), once(child, "exit")]).then(([[report]]) => report)));
    const entries = keys(await fileStore(folder).load("race"));
    const won = reports.flatMap((report) => report.won);
    assert.deepEqual([...entries].sort(), won.sort(), "what is there is what was acknowledged, no more and no less");
    assert.equal(won.length, 2 * 60 * children.length);
    for (let index = 0; index < entries.length; index += 2) assert.equal(entries[index + 1], `${entries[index]}+`, "both entries of an append stand together");
    const lost = reports.reduce((sum, report) => sum + report.lost, 0);
    assert.ok(lost > 0, "the processes were in each other's way");
  }));

test("100 processes that are killed while they append lose nothing that was acknowledged", { timeout: 180_000 }, () =>
  inFolder(async (folder) => {
    let [kills, acknowledgedInAll] = [0, 0];
    const round = async (lane) => {
      const store = fileStore(folder);
      let before = 0;
      for (let count = 0; count < 50; count += 1) {
        const id = `crash-${lane}-${Math.floor(count / 10)}`;
        if (count % 10 === 0) before = 0;
        const child = fork(script("stores-appender.script.js"), [folder, id], { stdio: ["ignore", "pipe", "inherit", "ipc"] });
        let text = "";
        child.stdout.setEncoding("utf8").on("data", (data) => (text += data));
        await once(child, "message");
        // Every other one has surely acknowledged three appends, however busy the machine is.
        while (count % 2 === 0 && text.split("\n").length <= 3) await once(child.stdout, "data");
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
        child.kill("SIGKILL");
        const [, signal] = await once(child, "close");
        assert.equal(signal, "SIGKILL", "it worked until it was killed");
        kills += 1;
        const acknowledgements = text.split("\n").slice(0, -1).map(Number);
        const acknowledged = acknowledgements.at(-1) ?? before;
        const { entries } = (await store.load(id)) ?? { entries: [] };
        assert.ok(entries.length >= acknowledged, `${acknowledged} were acknowledged, ${entries.length} are there`);
        // An append is of one to seven entries, and one at most was under way.
        assert.ok(entries.length <= acknowledged + 7, `${acknowledged} were acknowledged, ${entries.length} are there`);
        for (const [index, { key, ok }] of entries.slice(before).entries()) assert.deepEqual([key, ok.at], [`k${before + index}`, before + index]);
        assert.ok(entries.length === 0 || entries.at(-1).ok.isLast, "an append is there as a whole or not at all");
        acknowledgedInAll += acknowledgements.length;
        before = entries.length;
      }
    };
    await Promise.all([round(0), round(1)]);
    assert.equal(kills, 100);
    assert.ok(acknowledgedInAll > kills, "they got somewhere before they were killed");
  }));
