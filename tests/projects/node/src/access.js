// Who may call: whoever sends `Authorization: Bearer <ACCESS_TOKEN>`.
import { bearer } from "stepweave/http";
import { setting } from "./settings.js";

/** Lets the owner of the token in; throws where none is set, so that nothing is open by mistake. */
export function ownerOf(environment) {
  const token = setting(environment, "ACCESS_TOKEN");
  if (token === undefined || token.length < 16) throw new Error("ACCESS_TOKEN is not set, or shorter than 16 characters: set the environment variable ACCESS_TOKEN");
  return bearer({ owner: token });
}

/** The answer to every call as long as something that is set cannot be used. */
export function misconfigured(error) {
  console.error(error);
  return Response.json({ title: "Not configured", status: 500, code: "configuration", detail: error.message }, { status: 500, headers: { "content-type": "application/problem+json" } });
}
