// Serves the workflow to Restate, whose server calls it, keeps what it did, and calls again where a process has ended.
import { createServer } from "node:http2";
import { endpoint } from "./service.js";

const { HOST = "127.0.0.1", PORT = "9080" } = process.env;
createServer(endpoint(process.env)).listen(Number(PORT), HOST, () => console.log(`the service «service» at http://${HOST}:${PORT}`));
