// The workflow, which the builder exported.
import { Workflow } from "stepweave";
«imports»import document from "../workflow.json" with { type: "json" };

export const workflow = Workflow.fromDocument(document«code argument»);
