// What axe-core finds on the page.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "@playwright/test";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

interface Finding {
  id: string;
  nodes: { target: string[]; failureSummary: string }[];
}

/** Each rule that is broken, with where. */
export async function findings(page: Page): Promise<string[]> {
  // The page's policy lets no script of a test in, but what the browser's own protocol evaluates is not the page's.
  await page.evaluate(readFileSync(axe, "utf8"));
  const look = () => page.evaluate(async () => {
    // Cards lie on other layers than what they are seen on, and a glide would be measured half-way.
    // Asked anew with each frame: the promise of a transition that ended under a dialog may stay open.
    while (document.getAnimations().some(({ playState }) => playState === "running")) await new Promise(requestAnimationFrame);
    const { axe } = window as unknown as { axe: { run(): Promise<{ violations: Finding[] }> } };
    return (await axe.run()).violations;
  });
  // What an editor draws anew while axe looks has no name any more: what is there then is looked at instead.
  const violations = await look().catch(look);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id} at ${target.join(" ")}: ${failureSummary}`));
}
