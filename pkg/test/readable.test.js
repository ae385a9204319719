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
