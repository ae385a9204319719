// Nodes of n8n for a service, as the requests that they send.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Workflow } from "stepweave";
import { imported } from "./reading.mjs";

const node = (name, kind, parameters = {}, typeVersion = 4) => ({ name, type: `n8n-nodes-base.${kind}`, typeVersion, parameters });
const set = (name, fields) => node(name, "set", { assignments: { assignments: Object.entries(fields).map(([name, value]) => ({ name, value })) } }, 3.4);
const to = (name) => ({ main: [[{ node: name }]] });
const chain = (...nodes) => {
  const all = [node("Hook", "webhook"), ...nodes];
  return imported(JSON.stringify({ name: "Flow", nodes: all, connections: Object.fromEntries(all.slice(0, -1).map(({ name }, index) => [name, to(all[index + 1].name)])) }));
};
const picked = (value, name) => ({ __rl: true, mode: "list", value, cachedResultName: name });
const requestOf = async (kind, parameters, version) => {
  const { report, step } = await chain(node("It", kind, parameters, version));
  return { http: step("It").http, about: report.nodes.find(({ name }) => name === "It") };
};

test("a message to Slack is a request, which its answer may refuse", async () => {
  const { http, about } = await requestOf("slack", { select: "channel", channelId: picked("C1", "news"), text: "=Hi {{ $json.body.who }}", otherOptions: { thread_ts: { replyValues: { thread_ts: "={{ $json.body.ts }}" } } } }, 2.2);
  assert.deepEqual(http, { method: "POST", url: "https://slack.com/api/chat.postMessage", success: "body.ok", body: { json: { channel: "C1", text: "Hi {{ body.who }}", thread_ts: "{{ body.ts }}" } }, auth: { bearer: { secret: "SLACK_TOKEN" } } });
  assert.deepEqual(about.notes, ["Give its key the name SLACK_TOKEN, and its value where the workflow runs."]);
  const blocks = await requestOf("slack", { channel: "#news", messageType: "block", text: "", blocksUi: "={{ $json.body.message }}" }, 1);
  assert.deepEqual(blocks.http.body.json, { channel: "#news", text: "", blocks: "{{ body.message.blocks }}" });
  const written = await requestOf("slack", { channel: "#news", messageType: "block", text: "", blocksUi: '={ "blocks": [{ "type": "section", "text": "{{ $json.body.text }}" }] }' }, 1);
  assert.deepEqual(written.http.body.json.blocks, [{ type: "section", text: "{{ body.text | string }}" }]);
  assert.equal((await requestOf("slack", { text: "Hi" })).about.state, "placeholder");
  assert.equal((await requestOf("slack", { resource: "channel", operation: "create", channelId: "x" })).about.state, "placeholder");
});

test("the rows of a sheet are items, and what follows is done for each", async () => {
  const rows = node("Rows", "googleSheets", { documentId: { __rl: true, mode: "url", value: "https://docs.google.com/spreadsheets/d/abc-1/edit#gid=0" }, sheetName: picked("gid=0", "My sheet"), filtersUI: { values: [{ lookupColumn: "town", lookupValue: "Ulm" }] } });
  const { document, report, step } = await chain(rows, set("Say", { said: "={{ $json.name }} in {{ $('Rows').item.json.town }}" }), node("All", "aggregate", { aggregate: "aggregateAllItemData" }));
  assert.equal(step("Rows").http.url, "https://sheets.googleapis.com/v4/spreadsheets/abc-1/values/My%20sheet");
  assert.deepEqual(report.connections.filter(({ lost }) => lost), []);
  const values = [["name", "town"], ["Ann", "Ulm"], ["Bob", "Bonn"], ["Cy", "Ulm"]];
  const { state, errors } = await (await Workflow.fromDocument(document)).run({ state: {}, secrets: { GOOGLE_TOKEN: { value: "t", origins: ["https://sheets.googleapis.com"] } }, fetch: async () => Response.json({ values }) });
  assert.deepEqual(errors, []);
  assert.deepEqual(state.All_output.data.map(({ said }) => said), ["Ann in Ulm", "Cy in Ulm"]);
});

test("a row is written in the order of its sheet", async () => {
  const columns = { mappingMode: "defineBelow", value: { b: "={{ $json.body.b }}", a: "x" }, schema: [{ id: "a" }, { id: "gone", removed: true }, { id: "b" }, { id: "c" }] };
  const { http, about } = await requestOf("googleSheets", { operation: "append", documentId: picked("abc"), sheetName: { __rl: true, mode: "name", value: "Log" }, columns });
  assert.equal(http.url, "https://sheets.googleapis.com/v4/spreadsheets/abc/values/Log:append");
  assert.deepEqual([http.body, http.query], [{ json: { values: [["x", "{{ body.b }}", ""]] } }, { valueInputOption: "USER_ENTERED", insertDataOption: "INSERT_ROWS" }]);
  assert.ok(about.notes.includes("It writes a row of “a”, “b”, “c”: look whether the sheet has its columns in this order."));
  for (const more of [{ sheetName: { __rl: true, mode: "id", value: "12" } }, { columns: { mappingMode: "autoMapInputData" } }, { documentId: { __rl: true, mode: "url", value: "={{ $json.body.url }}" } }]) {
    assert.equal((await requestOf("googleSheets", { operation: "append", documentId: picked("abc"), sheetName: picked("gid=0", "Log"), columns, ...more })).about.state, "placeholder");
  }
});

test("records of Airtable are read, written and changed", async () => {
  const table = { base: { __rl: true, mode: "url", value: "https://airtable.com/appA1/tblB2" }, table: picked("tbl B2") };
  const url = "https://api.airtable.com/v0/appA1/tbl%20B2";
  const of = async (parameters) => (await requestOf("airtable", { ...table, ...parameters }, 2.1)).http;
  const auth = { bearer: { secret: "AIRTABLE_TOKEN" } };
  assert.deepEqual(await of({ operation: "create", columns: { value: { Name: "={{ $json.body.name }}", Size: 2 } } }), { method: "POST", url, body: { json: { fields: { Name: "{{ body.name }}", Size: 2 }, typecast: false } }, auth });
  assert.deepEqual(await of({ operation: "update", columns: { value: { id: "={{ $json.body.id }}", Done: true } } }), { method: "PATCH", url: `${url}/{{ body.id }}`, body: { json: { fields: { Done: true }, typecast: false } }, auth });
  assert.deepEqual(await of({ operation: "get", id: "rec1" }), { url: `${url}/rec1`, auth });
  assert.deepEqual(await of({ operation: "search", filterByFormula: "={Done} = {{ $json.body.n }}", returnAll: false, limit: 3 }), { url, query: { filterByFormula: "{Done} = {{ body.n }}", maxRecords: "3" }, result: "body.records", auth });
  assert.equal(await of({ operation: "update", columns: { value: { Done: true } } }), undefined);
});

test("files and labels of Google, and messages of WhatsApp", async () => {
  assert.deepEqual((await requestOf("googleDrive", { operation: "download", fileId: { __rl: true, mode: "url", value: "https://drive.google.com/open?id=f-1" } }, 3)).http, { url: "https://www.googleapis.com/drive/v3/files/f-1", query: { alt: "media" }, response: "bytes", auth: { bearer: { secret: "GOOGLE_TOKEN" } } });
  assert.deepEqual((await requestOf("gmail", { operation: "addLabels", messageId: "={{ $json.body.id }}", labelIds: ["L1"] }, 2.1)).http.body, { json: { addLabelIds: ["L1"] } });
  assert.deepEqual((await requestOf("gmail", { operation: "markAsRead", messageId: "m" }, 2.1)).http.body, { json: { removeLabelIds: ["UNREAD"] } });
  assert.deepEqual((await requestOf("whatsApp", { operation: "send", phoneNumberId: "12", recipientPhoneNumber: "49", textBody: "={{ $json.body.text }}" }, 1)).http.body.json, { messaging_product: "whatsapp", to: "49", type: "text", text: { body: "{{ body.text }}" } });
});

test("a mail of Gmail is made whole, encoded and sent", async () => {
  const mail = { sendTo: "={{ $json.body.to }}", subject: "=Grüße an {{ $json.body.name }}", message: "=<p>Hallo {{ $json.body.name }} 🐝</p>" };
  const { document, report, steps } = await chain(node("Tell", "gmail", { ...mail, options: { ccList: "b@b.example" } }, 2.1));
  assert.deepEqual(steps.map(({ name }) => name), ["Mail of Tell", "Letter of Tell", "Tell"]);
  assert.deepEqual(report.nodes[1].notes, ["Whom it went to in copy is left out.", "Give its key the name GOOGLE_TOKEN, and its value where the workflow runs."]);
  let sent;
  const { errors } = await (await Workflow.fromDocument(document)).run({
    state: { body: { to: "a@a.example\r\nBcc: c@c.example", name: "Jürgen" } },
    secrets: { GOOGLE_TOKEN: { value: "t", origins: ["https://gmail.googleapis.com"] } },
    fetch: async (_, { body }) => ((sent = JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body))), Response.json({})),
  });
  assert.deepEqual(errors, []);
  const [head, text] = Buffer.from(sent.raw, "base64url").toString("utf8").split("\r\n\r\n");
  assert.match(head, /^To: a@a\.example Bcc: c@c\.example\r\nSubject: =\?UTF-8\?B\?([A-Za-z0-9+/=]+)\?=\r\nMIME-Version: 1\.0\r\nContent-Type: text\/html; charset=UTF-8/);
  assert.equal(Buffer.from(/B\?([^?]+)\?/.exec(head)[1], "base64").toString(), "Grüße an Jürgen");
  assert.equal(Buffer.from(text, "base64").toString(), "<p>Hallo Jürgen 🐝</p>");
  assert.match((await chain(node("Tell", "gmail", { ...mail, emailType: "text" }, 2.1))).step("Letter of Tell").run.code, /text\/plain/);
  assert.equal((await requestOf("gmail", { subject: "x" }, 2.1)).about.state, "placeholder");
});
