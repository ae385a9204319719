import { test } from "node:test";
import { assertPrograms, page } from "./docs-support.js";

test("every program of the guide to traces and logs prints what the guide says", () => {
  assertPrograms(page("docs/otel.md"));
});
