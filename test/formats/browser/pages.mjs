// Opens pages of the folder pages/ in a browser, and finds things in them.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { chromium } from 'playwright-core';

let browser;
before(async () => {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
});
after(() => browser.close());

// Opens a page and collects the errors of the page. The function `close` fails if there are any.
export async function open(name, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 }, colorScheme: options.dark ? 'dark' : 'light',
  });
  const page = await context.newPage();
  page.faults = [];
  page.on('pageerror', (error) => page.faults.push(error.stack));
  page.on('console', (message) => {
    if (message.type() === 'error') page.faults.push(message.text());
  });
  page.on('request', (request) => {
    if (!/^(file|data|blob):/.test(request.url())) page.faults.push('fetches ' + request.url());
  });
  await page.goto(`file://${process.cwd()}/pages/${name}.html${options.hash || ''}`);
  await settle(page);
  return page;
}

export async function close(page) {
  assert.deepEqual(page.faults, []);
  await page.context().close();
}

export const settle = (page) => page.evaluate(() => new Promise((done) => {
  requestAnimationFrame(() => requestAnimationFrame(done));
}));

// Returns the place, in the window, of the widest box of a method.
export async function boxOf(page, name) {
  const box = await page.evaluate((wanted) => {
    const app = window.flameGraph;
    let best = null;
    app.layout.rows.forEach((row, depth) => row.refs.forEach((ref, index) => {
      if (app.nameParts(ref).join('') !== wanted) return;
      const rect = app.view.rectOf({ depth, index, ref });
      if (!best || rect.width > best.width) best = rect;
    }));
    if (!best) return null;
    const origin = app.view.canvas.getBoundingClientRect();
    return { x: origin.left + best.left, y: origin.top + best.top, width: best.width, height: best.height };
  }, name);
  assert.ok(box, name + ' is drawn');
  return box;
}

export async function clickOn(page, name, options) {
  const box = await boxOf(page, name);
  await page.mouse.click(box.x + Math.min(box.width / 2, 20), box.y + 8, options);
  await settle(page);
}

export const names = (page) => page.evaluate(() => {
  const app = window.flameGraph;
  return app.layout.rows.map((row) => row.refs.map((ref) => app.nameParts(ref).join('')).join(' | '));
});
export const text = (page, id) => page.locator('#' + id).textContent();
