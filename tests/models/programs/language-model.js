// The browser's LanguageModel with the interface of its IDL, and answers that a test chooses: the browser of the tests
// has the interface but no model behind it. `globalThis.model` says how it behaves, `globalThis.sessions` what it received.
{
  globalThis.sessions = [];
  globalThis.model = { availability: "available", pieces: ["Hel", "lo"] };

  const tokensIn = (prompts) => prompts.reduce((sum, { content }) => sum + content.length * 10, 0);

  class LanguageModel extends EventTarget {
    #session;
    #used;
    #isDestroyed = false;

    static async availability(options) {
      check(options);
      return globalThis.model.availability;
    }

    static async create({ initialPrompts = [], signal, monitor, ...options } = {}) {
      const { model } = globalThis;
      check(options);
      signal?.throwIfAborted();
      if (model.onCreate !== undefined) throw new DOMException(model.onCreate.message, model.onCreate.name);
      if (model.availability !== "available") {
        const progress = new EventTarget();
        monitor?.(progress);
        for (const loaded of [0, 0.5, 1]) progress.dispatchEvent(new ProgressEvent("downloadprogress", { loaded, total: 1 }));
      }
      const created = new LanguageModel();
      created.#session = { options, initialPrompts, prompts: [], isDestroyed: false };
      created.#used = tokensIn(initialPrompts);
      globalThis.sessions.push(created.#session);
      return created;
    }

    get contextUsage() {
      return this.#used;
    }

    async measureContextUsage(input) {
      return tokensIn(input);
    }

    promptStreaming(input, { signal, responseConstraint } = {}) {
      const { model } = globalThis;
      if (this.#isDestroyed) throw new DOMException("the session is destroyed", "InvalidStateError");
      this.#session.prompts.push({ input: input.map(({ role, content }) => ({ role, content: content.map(({ type, value }) => ({ type, value: shown(value) })) })), responseConstraint });
      this.#used += tokensIn(input);
      const pieces = [...model.pieces];
      const session = this.#session;
      return new ReadableStream({
        start: (controller) => signal?.addEventListener("abort", () => {
          session.isAborted = true;
          controller.error(signal.reason);
        }),
        pull: (controller) => {
          const piece = pieces.shift();
          if (piece === undefined && model.onPrompt !== undefined) return controller.error(Object.assign(new DOMException(model.onPrompt.message, model.onPrompt.name), { requested: 70, quota: 60 }));
          if (piece === undefined && model.isEndless) return new Promise(() => {});
          if (piece === undefined) return controller.close();
          this.#used += 1;
          controller.enqueue(piece);
        },
      });
    }

    destroy() {
      this.#isDestroyed = true;
      this.#session.isDestroyed = true;
    }
  }

  const shown = (value) => (value instanceof Blob ? `${value.type}, ${value.size} bytes` : value);

  function check({ expectedInputs = [], expectedOutputs = [], temperature, topK }) {
    for (const { type } of [...expectedInputs, ...expectedOutputs]) {
      if (!["text", "image", "audio"].includes(type)) throw new TypeError(`${type} is no LanguageModelMessageType`);
    }
    if ((temperature === undefined) !== (topK === undefined)) throw new DOMException("both or none", "NotSupportedError");
  }

  Object.defineProperty(globalThis, "LanguageModel", { value: LanguageModel, configurable: true, writable: true });
}
