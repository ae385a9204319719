// The guide to documents of others: its programs print what it says.
import { test } from "node:test";
import { assertPrograms, page } from "./docs-support.js";

test("every program of the guide to documents of others prints what stands below it", () => assertPrograms(page("docs/untrusted.md")));
