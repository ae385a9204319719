// The server whose operations are counted.
import { createServer } from "node:http";

/** Counts what arrives, in order. `tick` is one more for each arrival and each acknowledgement. */
export class Counting {
  /** `{ operation, key, tick }` of each arrival. */
  arrivals = [];
  /** When an operation was first said to be done, by its name. */
  done = new Map();
  /** How many operations are on their way. */
  underWay = 0;
  #tick = 0;
  #server;
  #delay;

  /** `delay` gives the milliseconds that an operation takes. */
  constructor(delay = () => 0) {
    this.#delay = delay;
  }

  async start() {
    this.#server = createServer(async (request, response) => {
      let text = "";
      try {
        for await (const chunk of request) text += chunk;
      } catch {
        // Its sender was killed before all of it had left.
        return;
      }
      const { operation, key } = JSON.parse(text);
      this.arrivals.push({ operation, key, tick: (this.#tick += 1) });
      this.underWay += 1;
      await new Promise((resolve) => setTimeout(resolve, this.#delay()));
      this.underWay -= 1;
      response.end(`did ${operation}`);
    });
    // A connection that is closed while a call is on its way would be a failure of that call.
    this.#server.keepAliveTimeout = 0;
    await new Promise((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    this.origin = `http://127.0.0.1:${this.#server.address().port}`;
    return this;
  }

  /** Somebody outside knows that an operation is done. */
  acknowledge(operation) {
    if (!this.done.has(operation)) this.done.set(operation, (this.#tick += 1));
  }

  of(operation) {
    return this.arrivals.filter((arrival) => arrival.operation === operation);
  }

  stop() {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
