export { connect, type Connection, type ConnectOptions, type OwnWorker, type RemoteRunOptions } from "../worker/connect.js";
export type { MessageEndpoint } from "../worker/messages.js";
export { serve, type ServeOptions } from "../worker/serve.js";
