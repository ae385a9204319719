// Giving up a sign-in to an MCP server, in a stand-in for a page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { StepweaveError } from "stepweave";
import { signIn } from "stepweave/mcp";

const ORIGIN = "https://page.example";
const hanging = () => new Promise(() => {});

function opened(t) {
  const popup = { closed: false, location: { replace() {} }, close: () => void (popup.closed = true) };
  globalThis.window = { location: { origin: ORIGIN }, open: () => popup };
  t.after(() => delete globalThis.window);
  return popup;
}

test("a sign-in that is given up ends at once with the code `cancelled`, whatever its server does", async (t) => {
  const reason = new Error("the person clicked on Cancel");
  for (const abort of [(controller) => controller.abort(reason), (controller) => setTimeout(() => controller.abort(reason), 20)]) {
    const popup = opened(t);
    const controller = new AbortController();
    const signing = signIn("https://mcp.example.com/mcp", { callback: `${ORIGIN}/mcp-callback.html`, signal: controller.signal, fetch: hanging });
    abort(controller);
    const error = await signing.then(assert.fail, (thrown) => thrown);
    assert.ok(error instanceof StepweaveError);
    assert.deepEqual([error.code, error.message, error.hint], ["cancelled", "the sign-in to the MCP server was given up", "call signIn() again on a click"]);
    assert.equal(error.cause, reason);
    assert.ok(popup.closed);
  }
});

test("a sign-in that is given up with an error of the package ends with that", async (t) => {
  opened(t);
  const late = new StepweaveError("timeout", "nobody came");
  const signing = signIn("https://mcp.example.com/mcp", { callback: `${ORIGIN}/mcp-callback.html`, signal: AbortSignal.abort(late), fetch: hanging });
  assert.equal(await signing.then(assert.fail, (thrown) => thrown), late);
});
