// The workflow, which the builder exported.
import { Workflow } from "stepweave";
import "stepweave/sandbox";
import document from "../workflow.json" with { type: "json" };

export const workflow = Workflow.fromDocument(document);
