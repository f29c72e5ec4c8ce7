// Checks in windows as narrow as a telephone that a click reaches all buttons, lists and fields.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clickOn, close, open, settle } from './pages.mjs';

const WIDTHS = [1280, 850, 849, 700, 500, 390];

// Returns the buttons, lists and fields that a click on their middle does not reach.
const unreached = (page, within) => page.evaluate((selector) => {
  const nameOf = (control) => control.id || control.title || control.textContent;
  return [...document.querySelectorAll(selector)].flatMap((control) => {
    const box = control.getBoundingClientRect();
    if (box.width === 0) return [];
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    const isInside = box.left >= 0 && box.right <= innerWidth && box.top >= 0 && box.bottom <= innerHeight;
    return isInside && control.contains(document.elementFromPoint(x, y)) ? [] : [nameOf(control)];
  });
}, within);

const CONTROLS = ['header', '#bar'].flatMap((place) => ['button', 'select', 'input'].map((kind) => `${place} ${kind}`)).join();

for (const [name, method] of [['full', 'app.Sort.sort'], ['calls', 'app.Index.build']]) {
  for (const width of WIDTHS) {
    test(`every control of ${name}.html is reached in a window of ${width} pixels`, async () => {
      const page = await open(name);
      await page.setViewportSize({ width, height: 800 });
      await settle(page);
      assert.ok(await page.locator('header button:visible').count() >= 6);
      assert.deepEqual(await unreached(page, CONTROLS), []);
      await clickOn(page, method);
      assert.equal(await page.locator('.chip').count(), 1);
      assert.deepEqual(await unreached(page, CONTROLS), []);
      await close(page);
    });
  }
}

test('in a narrow window a panel lies below the graph, and both can be seen', async () => {
  for (const width of WIDTHS.filter((each) => each <= 850)) {
    for (const [name, side] of [['full', 'methods'], ['full', 'tree'], ['calls', 'calls']]) {
      const page = await open(name, { hash: '#side=' + side });
      await page.setViewportSize({ width, height: 800 });
      await settle(page);
      const [graph, panel] = [await page.locator('#graph').boundingBox(), await page.locator('#' + side).boundingBox()];
      assert.ok(panel.y >= graph.y + graph.height, side);
      for (const box of [graph, panel]) {
        assert.ok(box.width >= 0.9 * width, `${side}: ${box.width} of ${width} pixels`);
        assert.ok(box.height >= 100, `${side}: ${box.height} pixels high`);
      }
      await close(page);
    }
  }
});
