// The reference server of the Model Context Protocol, over Streamable HTTP.
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";

/** Starts the server, or an older one by the name of its package; gives its address, what it logged, and what stops it. */
export async function startEverything(name = "@modelcontextprotocol/server-everything") {
  const program = fileURLToPath(new URL(`node_modules/${name}/dist/index.js`, import.meta.url));
  const port = await freePort();
  const server = spawn(process.execPath, [program, "streamableHttp"], { env: { ...process.env, PORT: String(port) }, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  const stopped = new Promise((resolve) => server.once("exit", resolve));
  await new Promise((resolve, reject) => {
    for (const stream of [server.stdout, server.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        log += text;
        if (log.includes(`listening on port ${port}`)) resolve();
      });
    }
    stopped.then(() => reject(new Error(`the server did not start: ${log}`)));
  });
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    log: () => log,
    stop: () => {
      server.kill("SIGKILL");
      return stopped;
    },
  };
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
