// Serves the workflow from Node. Its runs are files in a folder, and go on after the process has ended.
import { serverOf } from "./src/http.js";
import { served } from "./src/served.js";

const { HOST = "0.0.0.0", PORT = "8000" } = process.env;
const { fetch, stop } = served(process.env, { folder: "runs" });
const server = serverOf(fetch);
server.listen(Number(PORT), HOST, () => console.log(`gr-e-co-orders-x-name at http://${HOST}:${server.address().port}`));
for (const signal of ["SIGTERM", "SIGINT"]) {
  process.once(signal, async () => {
    server.close();
    await stop();
    // Whoever still listens is cut off. The runs have their files.
    process.exit();
  });
}
