// Prints the times of a page in headless Chromium as JSON: node page_times.mjs PAGE
//   first paint    from the navigation to the frame that shows the graph
//   longest zoom   the longest of ten zooms, each from the call to the frame that shows the result
import { chromium } from 'playwright-core';

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM, args: ['--no-sandbox'],
});
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
page.setDefaultTimeout(120_000);
await page.addInitScript(() => {
  const look = () => {
    if (!window.flameGraph) {
      requestAnimationFrame(look);
      return;
    }
    requestAnimationFrame(() => { window.paintedAt = performance.now(); });
  };
  requestAnimationFrame(look);
});
await page.goto('file://' + process.argv[2], { timeout: 120_000 });
await page.waitForFunction(() => window.paintedAt);
const times = await page.evaluate(async () => {
  const app = window.flameGraph;
  const frame = () => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); });
  const zooms = [];
  for (let i = 0; i < 5; i++) {
    for (const step of [() => app.zoomTo(app.layout.rows[3 + i].refs[0]), () => app.reset()]) {
      await frame();
      const begin = performance.now();
      step();
      await new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); });
      zooms.push(performance.now() - begin);
    }
  }
  return { 'first paint': Math.round(window.paintedAt), 'longest zoom': Math.round(Math.max(...zooms)) };
});
console.log(JSON.stringify(times));
await browser.close();
