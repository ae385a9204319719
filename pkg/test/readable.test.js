// What a person would read of a page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Workflow } from "stepweave";

const read = async (html) => (await new Workflow({ name: "w", steps: [{ name: "s", http: { url: "https://page.example/", response: "readable" } }] }).run({ fetch: async () => new Response(html, { headers: { "content-type": "text/html" } }) })).state.s_output;

test("what a page leaves out of its ends costs none of its text, and what it hides is not read", async () => {
  const many = 20_000;
  for (const [what, html] of Object.entries({
    li: `<ul>${"<li>x;".repeat(many)}</ul>`,
    p: "<p>x;".repeat(many),
    "p before blocks": "<p>x;<div></div>".repeat(many),
    tr: `<table>${"<tr><td>x;".repeat(many)}</table>`,
    dt: `<dl>${"<dt>x<dd>y;".repeat(many)}</dl>`,
    "p in li": `<ul>${"<li><p>x;</li>".repeat(many)}</ul>`,
    "ends of nothing": `<div>${"x;</span></p>".repeat(many)}</div>`,
  })) assert.equal((await read(html)).split(";").length - 1, many, what);
  // What is cut says so.
  assert.match(await read("<b>x;".repeat(many)), /\.\.\.$/);
  const hidden = ["hidden", "hidden=until-found", 'style="display:none"', 'style="color:red;display: none"', "style='DISPLAY:NONE'", 'style="visibility:hidden"'];
  assert.equal(await read(`<body><p>seen</p>${hidden.map((how) => `<div ${how}>no <p>never</p></div>`).join("")}</body>`), "seen");
});

test("a page is read as far as it has the elements of a page, and what is cut says so", async () => {
  const most = 100_000;
  for (const part of ["<div><p>x;</p></div>", "<div>x;</p></div>", "<div>x;<!----></div>"]) {
    const text = await read(part.repeat(most / 2 + 100));
    const parts = text.split(";").length - 1;
    assert.ok(parts >= most / 2 && parts <= most / 2 + 1, `${part}: ${parts}`);
    assert.match(text, /\.\.\.$/);
  }
});

test("what a page lays out takes no more text than is in proportion to it", async () => {
  const aligned = await read("<table><tr><th>Name<th>Age<tr><td>Grace Hopper<td>85<tr><td colspan=2>both</table>");
  assert.equal(aligned, "Name           Age\nGrace Hopper   85\nboth");
  const rows = "<tr><td>a<td>b".repeat(2000);
  for (const [what, table, text] of [
    ["of many rows", `<table><tr><td>long long long<td>z${rows}</table>`, `long long long   z${"\na   b".repeat(2000)}`],
    ["of many columns", `<table><tr>${"<td>a".repeat(2000)}<tr><td>long<td>b</table>`, `${"a   ".repeat(1999)}a\nlong   b`],
    ["with a long cell", `<table><tr><td>${"w".repeat(100_000)}<td>z${"<tr><td>a<td>b".repeat(100)}</table>`, `${"w".repeat(100_000)}   z${"\na   b".repeat(100)}`],
    ["with a cell that reaches far", "<table><tr><td colspan=9999>a<td rowspan=9999>b<tr><td colspan=1e9>c</table>", "a   b\nc"],
    ["with a cell that reaches nowhere", "<table><tr><td colspan=-3>a<td rowspan=0.5>b</table>", "a   b"],
  ]) assert.equal(await read(table), text, what);
  // One table after another has the room of one.
  const wide = `<table><tr><td>${"w".repeat(10_000)}<td>z${"<tr><td>a<td>b".repeat(40)}</table>`;
  assert.ok((await read(wide.repeat(40))).length < 8_000_000);
  const lines = "x\n".repeat(50_000);
  for (const outer of ["<blockquote>", "<ul><li>", "<ol><li>", "<ul><li><blockquote>"]) {
    const text = await read(`${outer.repeat(60)}<pre>${lines}`);
    assert.equal(text.split("x").length - 1, 50_000, outer);
    assert.ok(text.length < 3_000_000, `${outer}: ${text.length}`);
  }
  assert.equal(await read("<blockquote>a<ul><li>b<li>c</ul></blockquote>"), "> a\n>  * b\n>  * c");
});

test("lists are numbered as a page says, as far as there are such numbers", async () => {
  assert.equal(await read("<ol type=I start=3998><li>a<li>b</ol>"), "MMMCMXCVIII. a\n MMMCMXCIX.   b");
  for (const start of [3999, 1e9, -5, 0, "1e300", "x"]) {
    const text = await read(`<ol type=i start=${start}><li>a<li>b</ol>`);
    assert.match(text, /a\n.*b$/, String(start));
  }
});

test("of lines that are kept as many are read as of elements", async () => {
  const text = await read(`<p>before</p><pre>${"x\n".repeat(150_000)}</pre>`);
  assert.equal(text.split("x").length - 1, 99_999);
  assert.match(text, /\.\.\.$/);
  // Elsewhere a line is nothing.
  assert.equal((await read(`<p>${"x\n".repeat(150_000)}</p>`)).length, 299_999);
});
