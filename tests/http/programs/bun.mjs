import served from "./served.mjs";

console.log(Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => served.fetch(request) }).port);
