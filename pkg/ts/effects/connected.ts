/**
 * The response that `fetch` gave. `Response.error()`, which a `fetch` of one's own may give, stands for a connection that failed,
 * and is thrown as such.
 */
export function connected(response: Response): Response {
  if (response?.type === "error") throw new TypeError("the connection failed: the option `fetch` gave Response.error()");
  return response;
}
