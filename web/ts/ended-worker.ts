// A worker that gets one request, and is ended with its answer: none can stop the page.

/** What to say where a worker gives no answer. */
interface Silence<Answer> {
  /** After this time. */
  readonly patienceMs: number;
  readonly late: Answer;
  /** Where its script did not come, or stopped. */
  readonly broken: Answer;
}

/** Asks a worker, which answers on the port that comes with the question. */
export async function answerOf<Answer>(worker: Worker, question: unknown, { patienceMs, late, broken }: Silence<Answer>): Promise<Answer> {
  // A way of its own: what a worker loads may speak to the page by itself.
  const { port1, port2 } = new MessageChannel();
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    return await new Promise((done) => {
      port1.onmessage = ({ data }: MessageEvent<Answer>) => done(data);
      worker.onerror = () => done(broken);
      timer = setTimeout(() => done(late), patienceMs);
      worker.postMessage(question, [port2]);
    });
  } finally {
    clearTimeout(timer);
    port1.close();
    worker.terminate();
  }
}
