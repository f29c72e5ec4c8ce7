// Checks what jprof's page has in addition to the flame graph: call tree, choice of states, lines, sources,
// events.
// The truth about full.html is in make_pages.cc.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clickOn, close, names, open, settle, text } from './pages.mjs';

const rowsOf = async (page, id) => (await page.locator(`#${id} .row`).all())
  .reduce(async (texts, row) => [...await texts, await row.locator('> *').allTextContents()], []);

const treeRows = async (page) => (await rowsOf(page, 'tree-rows'))
  .map(([total, , self, , name]) => [name.replace(/^[▾▸\s]+/, ''), total, self]);

test('the call tree has the totals of the graph', async () => {
  const page = await open('full', { hash: '#side=tree' });
  assert.deepEqual(await treeRows(page), [
    ['all', '100 %', '0 %'], ['app.Main.run', '90.0 %', '0 %'], ['app.Sort.sort', '60.0 %', '40.0 %'],
    ['app.Sort.sort', '20.0 %', '20.0 %'], ['app.Map.get', '30.0 %', '30.0 %'], ['app.Gc.mark', '10.0 %', '10.0 %'],
  ]);
  const sums = await page.evaluate(() => {
    const { tree, profile, selection } = window.flameGraph;
    return [...Array(profile.nodeCount).keys()].slice(1).map((ref) => {
      const below = tree.children(ref).reduce((sum, child) => sum + tree.total(child), 0);
      return tree.total(ref) - tree.self(ref) - below;
    }).concat(tree.children(0).reduce((sum, child) => sum + tree.total(child), 0) - selection.sum);
  });
  assert.ok(sums.every((rest) => rest === 0), sums.join(' '));
  await close(page);
});

test('tree and graph share selection, root, search and direction', async () => {
  const page = await open('full', { hash: '#side=tree' });
  await page.locator('#tree-rows .row', { hasText: 'Map.get' }).click();
  await settle(page);
  assert.match(await text(page, 'status'), /^app\.Map\.get, 30\.0 %/);
  assert.equal(await page.evaluate(() => window.flameGraph.nameParts(window.flameGraph.focused.ref).join('')), 'app.Map.get');
  await page.keyboard.press('Enter');
  await settle(page);
  assert.deepEqual((await names(page)).slice(1), ['app.Main.run', 'app.Map.get']);
  assert.deepEqual((await treeRows(page)).map(([name]) => name), ['app.Map.get']);
  await page.keyboard.press('Escape');
  await page.focus('#graph canvas');
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
  assert.match(await page.locator('#tree-rows .row[aria-selected=true]').textContent(), /app\.Sort\.sort/);
  await page.keyboard.press('r');
  await settle(page);
  const reversed = await treeRows(page);
  assert.deepEqual(reversed[1].slice(0, 2), ['app.Sort.sort', '60.0 %']);
  assert.deepEqual(reversed.map(([name]) => name).slice(0, 4), ['all', 'app.Sort.sort', 'app.Main.run', 'app.Sort.sort']);
  await page.fill('#find', 'Gc');
  await page.waitForFunction(() => /matched/.test(document.getElementById('matched').textContent));
  assert.deepEqual(await page.locator('#tree-rows .match .method').allTextContents(), ['app.Gc.mark']);
  await close(page);
});

test('arrow keys open, close and move in the tree, and a screen reader follows', async () => {
  const page = await open('full', { hash: '#side=tree' });
  const active = async () => {
    const id = await page.getAttribute('#tree-rows', 'aria-activedescendant');
    const row = page.locator('#' + id);
    return [await row.locator('.method').textContent(), await row.getAttribute('aria-level'), await row.getAttribute('aria-expanded')];
  };
  await page.focus('#tree-rows');
  for (const key of ['ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
  assert.deepEqual(await active(), ['app.Main.run', '2', 'true']);
  await page.keyboard.press('ArrowLeft');
  assert.deepEqual(await active(), ['app.Main.run', '2', 'false']);
  assert.equal((await treeRows(page)).length, 3);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  assert.deepEqual(await active(), ['app.Sort.sort', '3', 'true']);
  await page.keyboard.press('ArrowRight');
  assert.deepEqual(await active(), ['app.Sort.sort', '4', null]);
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  assert.deepEqual((await active())[0], 'app.Main.run');
  await page.keyboard.press('End');
  assert.deepEqual((await active())[0], 'app.Gc.mark');
  assert.equal(await page.getAttribute('#tree-rows', 'role'), 'treegrid');
  await close(page);
});

test('colours, legend and tooltip show the states of the selected samples, in both directions', async () => {
  const page = await open('full', { hash: '#event=wall' });
  const told = () => page.evaluate(() => {
    const { tree, profile, colours, layout } = window.flameGraph;
    const hueOf = (colour) => Number(/hsl\((\d+)/.exec(colour)[1]);
    const refs = layout.rows.flatMap((row) => [...row.refs]).filter((ref) => ref !== 0);
    return {
      legend: [...document.querySelectorAll('#legend li')].map((item) => item.title).sort(),
      boxes: refs.map((ref) => {
        const parts = tree.stateParts(ref);
        return {
          name: profile.nameOf(tree.frame(ref)), total: tree.total(ref),
          told: parts.reduce((sum, [, weight]) => sum + weight, 0), main: parts.length && profile.states[parts[0][0]],
          hues: parts.length ? [hueOf(window.flameGraph.fill(ref, 99).fill), hueOf(colours.toneOfState(parts[0][0]))] : [],
        };
      }),
    };
  });
  await page.click('#colours');
  await settle(page);
  for (const direction of ['callees', 'callers']) {
    const { legend, boxes } = await told();
    assert.deepEqual(legend, ['STATE_PARKED', 'STATE_RUNNABLE', 'STATE_SLEEPING'], direction);
    for (const { name, total, told: sum, main, hues } of boxes) {
      assert.equal(sum, total, `${direction}: ${name}`);
      assert.ok(Math.abs(hues[0] - hues[1]) <= 10, `${direction}: ${name}, ${main}: ${hues}`); // the shade of its package
    }
    assert.equal(new Set(boxes.map(({ main }) => main)).size > 1, true, direction);
    await page.keyboard.press('r');
    await settle(page);
  }
  await page.evaluate(() => window.flameGraph.chooseEntries('states', new Set([window.flameGraph.profile.states.indexOf('STATE_SLEEPING')])));
  await settle(page);
  assert.deepEqual((await told()).legend, ['STATE_SLEEPING']);
  assert.match(page.url(), /colours=state/);
  await page.keyboard.press('a');
  await settle(page);
  assert.doesNotMatch(page.url(), /colours=state/);
  assert.notDeepEqual((await told()).legend, ['STATE_SLEEPING']);
  await close(page);
});

test('the states of threads add up to the whole, one by one and in pairs', async () => {
  const page = await open('full', { hash: '#event=wall' });
  const root = async () => (await names(page))[0];
  assert.match(await root(), /^all · 60 samples/);
  const sums = await page.evaluate(() => {
    const { profile, selection: { byState, sum, kind, from, to } } = window.flameGraph;
    const Selection = window.flameGraph.selection.constructor;
    const choose = (states) => new Selection(profile, { kind, threads: null, states, from, to, removed: new Set() }).sum;
    const all = [...profile.states.keys()];
    return {
      sum, states: all.map((state) => [profile.states[state], byState[state], choose(new Set([state]))]),
      pair: choose(new Set(all.slice(0, 2))) + choose(new Set(all.slice(2))),
    };
  });
  assert.equal(sums.states.reduce((sum, [, weight]) => sum + weight, 0), 60);
  assert.equal(sums.pair, 60);
  for (const [, listed, chosen] of sums.states) assert.equal(listed, chosen);
  assert.equal(sums.states.find(([name]) => name === 'STATE_SLEEPING')[1], 30);
  await page.click('#state-button');
  await page.fill('#states input[type=search]', 'park');
  await page.click('#states [data-do=shown]');
  await settle(page);
  assert.match(await root(), /^all · 20 samples/);
  assert.equal(await page.locator('#state-button').innerText(), 'parked');
  await page.goBack();
  await settle(page);
  assert.match(await root(), /^all · 60 samples/);
  await close(page);
});

test('lines of a method add up to its self weight in every selection', async () => {
  for (const hash of ['#event=cpu', '#event=wall', '#event=wall&threads=0', '#event=wall&states=1', '#event=cpu&from=0&to=3']) {
    const page = await open('full', { hash });
    const rest = await page.evaluate(() => {
      const { profile, selection } = window.flameGraph;
      const { self, total } = selection.methods();
      return profile.names.map((name, method) => {
        const lines = [...profile.lines.weights(selection, (other) => other === method).values()];
        const sum = lines.reduce((all, line) => all + line.self, 0);
        return [name, sum - self[method], lines.every((line) => line.total <= total[method])];
      });
    });
    assert.ok(rest.length >= 5);
    for (const [name, difference, fits] of rest) assert.deepEqual([name, difference, fits], [name, 0, true]);
    await close(page);
  }
});

test('without sources a method shows its lines', async () => {
  const page = await open('lines');
  await clickOn(page, 'app.Map.get', { button: 'right' });
  await page.click('#menu-source');
  await settle(page);
  assert.deepEqual((await rowsOf(page, 'source-rows')).map(([total, , self, , line]) => [line, total, self]),
    [['50', '20.0 %', '20.0 %'], ['51', '10.0 %', '10.0 %']]);
  assert.match(await page.locator('#source .note').innerText(), /--source/);
  assert.equal(await page.locator('#source a').count(), 1);
  assert.equal(await page.locator('#source .editor').isVisible(), false);
  await close(page);
});

test('a source file shows the weights of its lines and opens in the editor, and its text does no harm', async () => {
  const page = await open('full', { hash: '#side=source' });
  await page.locator('#graph canvas').focus();
  await clickOn(page, 'app.Map.get');
  const rows = await rowsOf(page, 'source-rows');
  const line = rows.find((cells) => cells[4] === '50');
  assert.deepEqual([line[0], line[2], line[5].trim()], ['20.0 %', '20.0 %', "</script><img src=x onerror='window.harmed = 1'> // line 50"]);
  assert.equal(rows.find((cells) => cells[4] === '49')[0], '');
  const address = await page.locator('#source .editor').getAttribute('href');
  assert.match(address, /^idea:\/\/open\?file=\/.*%22%3E%3Cb%3E.*\/app\/Map\.java&line=50$/);
  assert.equal(await page.locator('#source b').count(), 0);
  assert.equal(await page.evaluate(() => window.harmed), undefined);
  await close(page);
});

test('numbers too large to be exact have a scale', async () => {
  const page = await open('full', {});
  const values = await page.evaluate(() => {
    const bytesOf = (code) => (code < 128 ? [code] : [code % 128 + 128, ...bytesOf(Math.floor(code / 128))]);
    const numbers = btoa(String.fromCharCode(...[60e12, 247, 0].flatMap(bytesOf)));
    const EventType = window.flameGraph.profile.events[0].constructor;
    return new EventType({ fields: [{ unit: 'ns', scale: 1e6, numbers }] }).columns[0].values;
  });
  assert.deepEqual(values, [-3e19, 123e6, null]);
  await close(page);
});

test('an address of no editor is no link', async () => {
  const page = await open('full', { hash: '#side=source' });
  const addresses = await page.evaluate(() => {
    const { sources, names } = window.flameGraph.profile;
    const method = names.indexOf('get');
    return ['javascript:harm()//{path}', 'data:text/html,{path}', '{path}', 'vscode://file{path}:{line}'].map((editor) => {
      sources.editor = editor;
      return sources.editorAddress(method, 7);
    });
  });
  assert.deepEqual(addresses.slice(0, 3), [null, null, null]);
  assert.match(addresses[3], /Map\.java:7$/);
  await close(page);
});

test('every event is in its table, which sorts and searches', async () => {
  const page = await open('full');
  await page.keyboard.press('e');
  await settle(page);
  const types = await page.locator('#events-view nav button').allInnerTexts();
  assert.deepEqual(types.map((type) => type.split(/\s*\n\s*/)).filter(([name]) => /Property|Garbage|Sample/.test(name)), [
    ['Garbage Collection', '3'], ['Initial System Property', '30'], ['Method Profiling Sample', '100'], ['Wall Clock Sample', '3'],
  ]);
  await page.locator('#events-view nav button', { hasText: 'Method Profiling' }).click();
  await settle(page);
  assert.equal(await page.getAttribute('#event-rows', 'aria-rowcount'), '100');
  await page.locator('#events-view nav button', { hasText: 'Garbage' }).click();
  const firstCells = async () => page.locator('#event-rows .row').first().locator('> *').allInnerTexts();
  await page.locator('#event-rows .head button', { hasText: 'Duration' }).click();
  await settle(page);
  assert.ok((await firstCells()).includes('30.0 ms'), (await firstCells()).join(' | '));
  await page.locator('#event-rows .head button', { hasText: 'Duration' }).click();
  await settle(page);
  assert.ok((await firstCells()).includes('10.0 ms'));
  await page.locator('#events-view nav button', { hasText: 'Property' }).click();
  await page.fill('#events-view input', 'key\\.1\\d');
  await page.waitForFunction(() => /10 of 30/.test(document.querySelector('#events-view .note').textContent));
  await page.waitForFunction(() => /text=key/.test(location.hash));
  await page.reload();
  await settle(page);
  assert.equal(await page.getAttribute('#event-rows', 'aria-rowcount'), '10');
  assert.match(await page.locator('#event-rows').innerText(), /<\/script><img src=x onerror/);
  assert.equal(await page.evaluate(() => window.harmed), undefined);
  await page.keyboard.press('Escape');
  await page.locator('#graph-button').click();
  await settle(page);
  assert.match((await names(page))[0], /^all/);
  await close(page);
});

test('events follow the chosen threads and interval of time', async () => {
  const matching = async (choice) => {
    const page = await open('full', { hash: '#events=jdk.ExecutionSample' + choice });
    const note = await text(page, 'events-view .note');
    await close(page);
    const [, count] = note.match(/^(\d+) of 100 events match/) || note.match(/^(\d+) events/);
    return Number(count);
  };
  assert.equal(await matching(''), 100);
  const ofThreads = [await matching('&threads=0'), await matching('&threads=1'), await matching('&threads=2')];
  assert.deepEqual(ofThreads.sort((a, b) => a - b), [0, 10, 90]);
  const [before, after] = [await matching('&to=9'), await matching('&from=10')];
  assert.ok(before > 0 && after > 0);
  assert.equal(before + after, 100);
});

test('the panel next to the graph, its width and the selection are in the address', async () => {
  const page = await open('full');
  await page.keyboard.press('h');
  await settle(page);
  assert.equal(await page.locator('#tree').isVisible(), true);
  const usual = await page.locator('#tree').boundingBox();
  await page.focus('#edge');
  await page.keyboard.press('ArrowLeft');
  await page.locator('#tree-rows .row', { hasText: 'Map.get' }).click();
  await page.waitForFunction(() => /width=38/.test(location.hash) && /at=/.test(location.hash));
  const wide = await page.locator('#tree').boundingBox();
  assert.ok(wide.width > usual.width + 30);
  await page.reload();
  await settle(page);
  assert.deepEqual(await page.locator('#tree').boundingBox(), wide);
  assert.match(await page.locator('#tree-rows .row[aria-selected=true]').textContent(), /Map\.get/);
  await page.keyboard.press('m');
  await settle(page);
  assert.equal(await page.locator('#methods').isVisible(), true);
  await page.goBack();
  await settle(page);
  assert.equal(await page.locator('#tree').isVisible(), true);
  for (const [hash, shown] of [['side=nothing&at=zzz&states=99&width=-3&method=x', '#graph'], ['events=none&sort=x', '#events-view']]) {
    await page.goto(page.url().replace(/#.*/, '#' + hash));
    await page.reload();
    await settle(page);
    assert.equal(await page.locator(shown).isVisible(), true);
  }
  await close(page);
});

test('a tree of 20 000 levels opens along its path', async () => {
  const page = await open('deep', { hash: '#side=tree' });
  assert.ok(await page.evaluate(() => window.flameGraph.panels.find(({ side }) => side === 'tree').made.rows.length) > 400);
  await page.focus('#tree-rows');
  await page.keyboard.press('End');
  await page.keyboard.press('*');
  await settle(page);
  assert.ok(await page.locator('#tree-rows .row').count() < 100); // only what is visible is there
  await close(page);
});

test('a slow call has a graph of its own samples, and leaving it shows all samples again', async () => {
  const page = await open('calls', { hash: '#side=calls' });
  const rows = page.locator('#call-rows .row');
  assert.deepEqual(await rows.allTextContents(), ['300 ms0app.Shop.order · main', '100 ms100 msapp.Shop.order · main · exception']);
  assert.match((await names(page))[0], /^all · 50 samples/);
  await rows.nth(1).click();
  await settle(page);
  assert.match((await names(page))[0], /^app.Shop.order, 100 ms · 10 samples/);
  assert.deepEqual((await names(page)).slice(1), ['app.Main.run', 'app.Shop.order', 'app.Index.build']);
  await page.evaluate(() => window.flameGraph.chooseKind(1)); // wall: the page's state keeps the call
  await settle(page);
  await page.focus('#call-rows');
  await page.keyboard.press('Home');
  await settle(page);
  assert.match((await names(page))[0], /^app.Shop.order, 300 ms · 15 samples/);
  assert.deepEqual((await names(page)).slice(1), ['app.Main.run', 'app.Shop.order', 'app.Disk.await']);
  await page.reload();
  await settle(page);
  assert.match((await names(page))[0], /^app.Shop.order, 300 ms/);
  await page.focus('#call-rows');
  await page.keyboard.press('Escape');
  await settle(page);
  assert.match((await names(page))[0], /^all · 50 samples/);
  await close(page);
});

test('a slow request has a graph of all its threads, and the slowest have one together', async () => {
  const page = await open('requests', { hash: '#side=calls' });
  const rows = page.locator('#call-rows .row');
  assert.deepEqual(await rows.allTextContents(), [
    '350 ms370 msthe 2 slowest requests', '300 ms310 ms0000000000000001', '50.0 ms60.0 ms0000000000000003']);
  assert.equal(await page.locator('#calls h2').textContent(), 'Slow requests');
  assert.equal(await page.locator('#calls .note').textContent(), '2 requests.');
  await rows.nth(1).click();
  await settle(page);
  assert.match((await names(page))[0], /^0000000000000001, 300 ms · 31 samples/);
  assert.deepEqual((await names(page)).slice(1), ['app.Main.run | app.Worker.run', 'app.Shop.order | app.Index.build']);
  await rows.nth(0).click();
  await settle(page);
  assert.match((await names(page))[0], /^the 2 slowest requests, 350 ms · 37 samples/);
  await page.evaluate(() => window.flameGraph.state.set({ events: 'jdk.ActiveSetting' })); // of no thread
  await settle(page);
  await close(page);
});

test('pictures of the panels in both themes', async () => {
  const views = { tree: '#side=tree&width=45', source: '#side=source&width=50', events: '#events=jdk.GarbageCollection' };
  for (const dark of [false, true]) {
    for (const [name, hash] of Object.entries(views)) {
      const page = await open('full', { dark, hash });
      await page.screenshot({ path: `full-${name}-${dark ? 'dark' : 'light'}.png` });
      await close(page);
    }
  }
});

test('a validation opens on the table of its walkers, and shows both stacks of an error', async () => {
  const page = await open('validation');
  const cells = async () => (await rowsOf(page, 'event-rows')).map((row) => row.map((cell) => cell.trim()));
  assert.deepEqual((await cells()).slice(-2), [
    ['signal', 'jprof', 'all', '1,000', '3', '0.30 %', '0.06 %', '0.87 %', 'equal 997, missing 2, wrong method 1'],
    ['signal', 'jprof', 'C2', '1,000', '3', '0.30 %', '0.06 %', '0.87 %', 'equal 997, missing 2, wrong method 1'],
  ]);
  assert.equal(await page.locator('.detail').isVisible(), false);
  await page.locator('#events-view nav button', { hasText: 'How stacks differ' }).click();
  await settle(page);
  const stacks = async () => page.locator('.detail pre').allInnerTexts();
  const harm = "</script><img src=x onerror='window.harmed = 1'>\n";
  assert.deepEqual(await stacks(), ['app.Main.run()V @ 3\napp.Sort.sort()V\n' + harm, 'app.Main.run()V @ 4\n']);
  await page.locator('#event-rows .row', { hasText: 'itable stub' }).click();
  await settle(page);
  assert.equal((await stacks())[0], 'app.Main.run()V @ 3\nitable stub\n' + harm);
  assert.equal(await page.evaluate(() => window.harmed), undefined);
  await page.locator('#graph-button').click();
  await settle(page);
  assert.match((await names(page))[0], /^all/);
  await page.reload();
  await settle(page);
  assert.match((await names(page))[0], /^all/);
  await close(page);
});

test('allocated and live bytes are compared by class and site, whatever interval is chosen', async () => {
  const page = await open('heap_full', { hash: '#events=allocated+and+live' });
  const expected = [
    ['1.00 MB', '410 kB', '512 kB', '102 kB', '50.00 %', 'app.Node', 'app.Cache.put'],
    ['3.00 MB', '307 kB', '0 bytes', '0 bytes', '0.00 %', 'long[]', 'app.Sums.make'],
  ];
  const rows = async () => (await rowsOf(page, 'event-rows')).map((row) => row.map((cell) => cell.trim()));
  assert.deepEqual((await rows()).slice(-2), expected);
  await page.evaluate(() => window.flameGraph.chooseSpan(0, 1));
  await settle(page);
  assert.deepEqual((await rows()).slice(-2), expected);
  await close(page);
});
