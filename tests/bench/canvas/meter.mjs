// What an act costs in a page: time of its main thread's processor, long tasks, frames.
import { quantile } from "../statistics.mjs";

/** After this long without input the work that an act has left behind is done; it counts too. */
const SETTLED_MS = 600;

export class Meter {
  /** What a page needs before anything of it runs. */
  static watch = watch;
  #page;
  #session;

  static async of(page, throttle) {
    const meter = new Meter();
    meter.#page = page;
    meter.#session = await page.context().newCDPSession(page);
    await meter.#session.send("Performance.enable", { timeDomain: "threadTicks" });
    if (throttle > 1) await meter.#session.send("Emulation.setCPUThrottlingRate", { rate: throttle });
    await page.addInitScript(Meter.watch);
    return meter;
  }

  /** Loads the page: milliseconds to the first element that `selector` finds, and what all of it cost. */
  async load(address, selector) {
    const before = await this.#cpu();
    await this.#page.goto(address);
    const firstMs = await this.#page.evaluate((selector) => globalThis.bench.first(selector), selector);
    await this.#page.waitForTimeout(2 * SETTLED_MS);
    return { ...(await this.#since(before)), firstMs };
  }

  /** Carries out an act that is `times` equal ones; `frames` says whether it is one movement that is watched. */
  async measure(act, { times = 1, frames = false } = {}) {
    await this.#page.waitForTimeout(SETTLED_MS);
    const before = await this.#cpu();
    await this.#page.evaluate((frames) => globalThis.bench.begin(frames), frames);
    await act();
    const intervals = await this.#page.evaluate(() => globalThis.bench.end());
    await this.#page.waitForTimeout(SETTLED_MS);
    const { cpuMs, longMs } = await this.#since(before);
    const measured = { cpuMs: cpuMs / times, longMs: longMs / times };
    return frames ? { ...measured, p50Ms: quantile(intervals, 0.5), p95Ms: quantile(intervals, 0.95) } : measured;
  }

  async #since(before) {
    return { cpuMs: (await this.#cpu()) - before, longMs: await this.#page.evaluate(() => globalThis.bench.long()) };
  }

  async #cpu() {
    const { metrics } = await this.#session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "ThreadTime").value * 1000;
  }
}

/** Runs in the page, before anything of it. */
function watch() {
  let long = 0;
  let frames;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) long += duration;
  }).observe({ type: "longtask", buffered: true });
  const note = (time) => {
    if (frames === undefined) return;
    frames.push(time);
    requestAnimationFrame(note);
  };
  globalThis.bench = {
    first: (selector) =>
      new Promise((done) => {
        const look = (time) => (document.querySelector(selector) === null ? requestAnimationFrame(look) : done(time));
        requestAnimationFrame(look);
      }),
    begin(watched) {
      long = 0;
      if (!watched) return;
      frames = [];
      requestAnimationFrame(note);
    },
    end() {
      const times = frames ?? [];
      frames = undefined;
      return times.slice(1).map((time, index) => time - times[index]);
    },
    long: () => long,
    /** One turn of the wheel each frame, there and back. */
    wheel: (selector, { way, ctrlKey, turns }) =>
      new Promise((done) => {
        const target = document.querySelector(selector);
        const { left, top, width, height } = target.getBoundingClientRect();
        let turn = 0;
        const next = () => {
          if (turn === turns) return done();
          const sign = turn < turns / 2 ? 1 : -1;
          turn += 1;
          target.dispatchEvent(new WheelEvent("wheel", {
            deltaX: way.x * sign, deltaY: way.y * sign, ctrlKey, clientX: left + width / 2, clientY: top + height / 2, bubbles: true, cancelable: true,
          }));
          requestAnimationFrame(next);
        };
        requestAnimationFrame(next);
      }),
  };
}
