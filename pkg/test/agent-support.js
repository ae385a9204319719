// A model that says what the test sets, turn by turn.
import { customModel } from "stepweave";

/** What a model says that calls a tool. */
export const calls = (name, input = {}, id) => ({ type: "toolCall", name, input, ...(id !== undefined && { id }) });

/** A model that gives these turns, each a text or a list of parts, and its requests. */
export function saying(...turns) {
  const requests = [];
  const model = customModel("scripted", (request) => {
    requests.push(request);
    const turn = turns.shift();
    if (turn === undefined) throw new Error("the model is called once more than the test expects");
    return turn;
  });
  return { model, requests };
}
