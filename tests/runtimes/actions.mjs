// What a scripted function can do that is no JSON: the `does` of a scenario.

/** What each of them does. The second argument takes the words of the runtime itself, which differ from one to the next. */
const ACTIONS = {
  "returns-undefined": () => undefined,
  "returns-text": () => "yes",
  "returns-nan": () => ({ score: Number.NaN }),
  "returns-date": () => ({ report: { when: new Date(0) } }),
  "returns-function": () => ({ tools: [{ call: () => 1 }] }),
  "returns-cycle": () => {
    const parent = { children: [] };
    parent.children.push({ parent });
    return { family: parent };
  },
  "returns-getter": () => ({
    get price() {
      throw new Error("the price is not known yet");
    },
  }),
  // Only JSON.parse makes `__proto__` a key like any other.
  "returns-proto": () => JSON.parse('{"__proto__":{"polluted":1},"constructor":{"polluted":1},"prototype":1,"kept":true}'),
  "throws-text": () => {
    throw "out of paper";
  },
  rejects: () => Promise.reject(new Error("the shop is closed")),
  "writes-state": (state, runtimeWords) => {
    try {
      state.list.push(2);
    } catch (error) {
      runtimeWords.push(error.message);
      throw error;
    }
  },
};

/** Does what the script of a function says. */
export function perform(action, state, runtimeWords) {
  if (action.throws !== undefined) {
    const { code, retryable } = action;
    // An error of the package is known by its name: the program under test may be another copy of it.
    throw Object.assign(new Error(action.throws), code !== undefined && { name: "StepweaveError", code }, retryable !== undefined && { retryable });
  }
  if (action.does === undefined) return action.returns;
  const act = ACTIONS[action.does];
  if (act === undefined) throw new Error(`a scenario names the unknown action ${action.does}`);
  return act(state, runtimeWords);
}
