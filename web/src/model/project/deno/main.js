// Serves the workflow from Deno. Its runs are files in a folder, and go on after the process has ended.
import { served } from "./src/served.js";

const { fetch, stop } = served(Deno.env.toObject(), { folder: "runs" });
const server = Deno.serve({ port: Number(Deno.env.get("PORT") ?? 8000) }, fetch);
Deno.addSignalListener("SIGTERM", async () => {
  await server.shutdown();
  await stop();
});
