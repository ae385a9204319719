import { CALLBACK_CHANNEL } from "../mcp/callback-channel.js";

// An authorization server leads here with a code: it goes to the page that waits for it, and stays in no history.
const said = location.search;
history.replaceState(undefined, "", location.pathname);
const channel = new BroadcastChannel(CALLBACK_CHANNEL);
channel.postMessage(said);
channel.close();
window.close();
