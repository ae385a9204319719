export { runsObject, type ObjectContext, type RunsObject, type RunsObjectOptions } from "../durable/runs-object.js";
