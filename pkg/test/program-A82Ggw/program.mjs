
      import { test } from "node:test";
      import { scriptedModel } from "stepweave/testing";
      test("forgetful", (t) => void scriptedModel(["never said"], { test: t }));
      test("thorough", (t) => void scriptedModel([], { test: t }));
    