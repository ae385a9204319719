import { StepweaveError } from "../api/errors.js";
import type { Authorize } from "./options.js";
import { Refused } from "./problem.js";

/** Who calls, as `authorize` says; without one everyone is the same. Whom it does not know is refused with 401. */
export async function principalOf(request: Request, authorize: Authorize | undefined, of: string): Promise<string> {
  if (authorize === undefined) return "public";
  const principal: unknown = await authorize(request);
  if (typeof principal === "string" && principal !== "") return principal;
  // What looks up a session often gives null, and a condition before it false.
  if (principal !== undefined && principal !== null && principal !== false) {
    throw new StepweaveError("handler", `\`authorize\` of ${of} gave neither a text nor undefined`, { hint: "return the id of who calls, or undefined for nobody" });
  }
  throw new Refused(401, "unauthorized", "this server does not know who calls", { hint: "send the header Authorization: Bearer <token>", headers: { "www-authenticate": "Bearer" } });
}
