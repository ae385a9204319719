// What is measured in a page that shows a workflow: the same acts for everyone, in this order.

const TYPED = "abcdefghijkl";
const MOVES = 60;
const STREAMED_SECONDS = 3;
/** All lanes are in view from here on. */
const LANES_ZOOM = 0.31;

/** Every act with what it costs. `graph` says where the cards are, `targets` which of them are acted upon. */
export async function measureAll(page, meter, own, { graph, targets }) {
  const { first, second, lanes } = targets;
  const measured = {};
  const camera = new Camera(page, own);
  const card = (id) => page.locator(`${own.card}[data-id="${id}"], ${own.card}[data-step="${id}"]`);
  const onCard = { x: 60, y: 14 };
  const click = (id) => card(id).click({ position: onCard });

  const across = { way: { x: 4, y: 40 }, ctrlKey: false, turns: 120 };
  measured.pan = await meter.measure(() => camera.wheel(across), { frames: true });
  const inAndOut = { way: { x: 0, y: 2.4 * own.pinch }, ctrlKey: true, turns: 120 };
  measured.zoom = await meter.measure(() => camera.wheel(inAndOut), { frames: true });

  await camera.goTo(graph, first);
  await click(second);
  const selects = [await pressing(page, card(first), onCard), await pressing(page, card(second), onCard)];
  measured.select = await meter.measure(async () => {
    for (const select of [...selects, ...selects]) await apart(page, select());
  }, { times: 4 });

  await click(first);
  await own.field().click();
  await page.keyboard.press("End");
  measured.key = await meter.measure(() => page.keyboard.type(TYPED, { delay: 100 }), { times: TYPED.length });

  await click(first);
  const thrice = (act) => async () => {
    for (let left = 3; left > 0; left -= 1) await apart(page, act());
  };
  measured.insert = await meter.measure(thrice(await pressing(page, own.insertButton())), { times: 3 });
  measured.undo = await meter.measure(thrice(await pressing(page, own.undoButton())), { times: 3 });
  await click(first);
  measured.delete = await meter.measure(() => page.keyboard.press("Delete"));
  await own.undoButton().click();
  await camera.goTo(graph, first);
  measured.drag = await meter.measure(() => drag(page, card(first)), { frames: true });

  if (own.outline !== undefined) measured.outline = await meter.measure(() => own.outline());
  if (own.find !== undefined) measured.find = await meter.measure(() => own.find("wait_s"), { times: 6 });

  await camera.goTo(graph, lanes);
  await camera.zoomTo(LANES_ZOOM);
  await own.startStream();
  measured.stream = await meter.measure(() => page.waitForTimeout(STREAMED_SECONDS * 1000), { times: STREAMED_SECONDS, frames: true });
  measured.stream.cards = await page.locator(own.card).count();
  await own.stopStream();
  return measured;
}

/** Presses where something is now. To look for it is the page's work too, and grows with what else is there: it is not measured. */
async function pressing(page, target, at) {
  const { x, y, width, height } = await target.boundingBox();
  const { x: right, y: down } = at ?? { x: width / 2, y: height / 2 };
  return () => page.mouse.click(x + right, y + down);
}

async function apart(page, act) {
  await act;
  await page.waitForTimeout(250);
}

/** Holds the card, moves around with it and lets it be. */
async function drag(page, card) {
  const { x, y, width } = await card.boundingBox();
  const at = { x: x + width / 2, y: y + 10 };
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  for (let move = 1; move <= MOVES; move += 1) {
    const turn = (2 * Math.PI * move) / MOVES;
    await page.mouse.move(at.x + 150 * Math.sin(turn), at.y + 150 * (1 - Math.cos(turn)) * 0.5);
  }
  await page.keyboard.press("Escape");
  await page.mouse.up();
}

/** Looks elsewhere by the wheel. */
class Camera {
  #page;
  #own;

  constructor(page, own) {
    this.#page = page;
    this.#own = own;
  }

  wheel(turns) {
    return this.#page.evaluate(([selector, turns]) => globalThis.bench.wheel(selector, turns), [this.#own.canvas, turns]);
  }

  /** Shows a card in the middle. */
  async goTo({ cards }, id) {
    const card = cards.find((one) => one.id === id);
    const { x, y, zoom, width, height } = await this.#view();
    const way = { x: (card.x + card.width / 2) * zoom + x - width / 2, y: (card.y + card.height / 2) * zoom + y - height / 2 };
    await this.wheel({ way, ctrlKey: false, turns: 1 });
    await this.#page.waitForTimeout(300);
  }

  async zoomTo(zoom) {
    const now = await this.#view();
    await this.wheel({ way: { x: 0, y: Math.log(now.zoom / zoom) * 100 * this.#own.pinch / 2 }, ctrlKey: true, turns: 1 });
    const half = await this.#view();
    await this.wheel({ way: { x: 0, y: Math.log(half.zoom / zoom) * 100 * this.#own.pinch }, ctrlKey: true, turns: 1 });
    await this.#page.waitForTimeout(300);
  }

  #view() {
    return this.#page.evaluate((selector) => {
      const { a, e, f } = new DOMMatrix(getComputedStyle(document.querySelector(".world, .react-flow__viewport")).transform);
      const { width, height } = document.querySelector(selector).getBoundingClientRect();
      return { zoom: a, x: e, y: f, width, height };
    }, this.#own.canvas);
  }
}
