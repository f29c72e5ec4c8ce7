// Builds the page's controls and connects them with the actions.


function showLegend(app) {
  const { used } = app.profile.tiers(app.kindIndex);
  element('legend').replaceChildren(...app.profile.frameKinds.flatMap((kind, i) => {
    if (!used.has(i)) return [];
    const item = document.createElement('li');
    const swatch = document.createElement('i');
    swatch.style.background = app.colours.tone(i);
    item.append(swatch, kind.label);
    item.title = kind.text;
    return [item];
  }));
}

function showHeader(app) {
  const { profile } = app;
  document.title = profile.title + ' · flame graph';
  element('title').textContent = profile.title;
  const start = profile.startMs ? new Date(profile.startMs).toLocaleString() : '';
  const length = profile.endMs > profile.startMs
    ? inUnits((profile.endMs - profile.startMs) * 1e6, TIME_UNITS) : '';
  const program = profile.program.split(' ')[0];
  element('about').textContent = [program, start, length].filter((text) => text).join(' · ');
  element('about').title = [profile.program, profile.jvm, profile.pid ? 'pid ' + profile.pid : '']
    .filter((text) => text).join('\n');
}

function showEvents(app) {
  const { kinds } = app.profile;
  const few = kinds.length <= 4;
  element('events').hidden = !few || kinds.length < 2;
  element('event-select').hidden = few;
  kinds.forEach((kind, i) => {
    const button = document.createElement('button');
    button.setAttribute('role', 'radio');
    button.dataset.kind = i;
    button.textContent = kind.name;
    button.title = `${kind.name}: ${measureOf(kind)}`;
    button.addEventListener('click', () => app.chooseKind(i));
    element('events').append(button);
    element('event-select').append(new Option(`${kind.name} · ${measureOf(kind)}`, i));
  });
  element('event-select').addEventListener('change', (event) => app.chooseKind(Number(event.target.value)));
  element('events').addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    app.chooseKind((app.kindIndex + step + kinds.length) % kinds.length);
    element('events').children[app.kindIndex].focus();
    event.preventDefault();
  });
}

// What the recording has nothing for is not offered.
function hideUnused({ profile }) {
  element('state-button').hidden = profile.states.length < 2;
  element('source-button').hidden = profile.lines === null && profile.linesNote === '';
  element('menu-source').hidden = profile.lines === null;
  element('views').hidden = profile.events.length === 0;
  element('calls-button').hidden = profile.calls.length === 0;
}

function connectToolbar(app) {
  const on = (id, act) => element(id).addEventListener('click', act);
  on('flip', () => app.toggleFlip());
  on('reverse', () => app.toggleReverse());
  on('graph-button', () => app.showEvents(false));
  on('events-button', () => app.showEvents(true));
  for (const side of SIDES) {
    on(side + '-button', () => app.toggleSide(side));
    element(side).querySelector('.close').addEventListener('click', () => app.toggleSide(side));
  }
  on('theme', () => app.toggleTheme());
  on('help-button', (event) => Popups.toggle(element('help'), event.currentTarget));
  on('thread-button', (event) => app.threadChoices.toggle(event.currentTarget));
  on('state-button', (event) => app.stateChoices.toggle(event.currentTarget));
  on('save-button', (event) => Popups.toggle(element('save'), event.currentTarget));
  on('save-picture', () => { Popups.close(); app.savePicture(); });
  on('save-collapsed', () => { Popups.close(); app.saveCollapsed(); });
  on('next', () => app.nextMatch(1));
  on('previous', () => app.nextMatch(-1));
  on('clear', () => { app.find(''); element('find').focus(); });
  let timer = 0;
  element('find').addEventListener('input', (event) => {
    clearTimeout(timer);
    const text = event.target.value;
    timer = setTimeout(() => app.find(text), 80);
  });
  element('find').addEventListener('keydown', (event) => {
    if (event.key === 'Enter') {
      clearTimeout(timer);
      if (app.state.values.find !== event.target.value) app.find(event.target.value);
      app.nextMatch(event.shiftKey ? -1 : 1);
    }
    if (event.key === 'Escape') {
      app.find('');
      app.view.canvas.focus();
      event.stopPropagation();
    }
  });
}

function connectGraph(app) {
  const { canvas } = app.view;
  const boxOf = (event) => app.view.boxAt(event.offsetX, event.offsetY);
  canvas.addEventListener('mousemove', (event) => {
    const box = boxOf(event);
    const changed = box?.ref !== app.view.hovered?.ref;
    app.view.hovered = box;
    canvas.style.cursor = box ? 'pointer' : 'default';
    if (changed) app.view.redraw();
    showTip(app, box, event);
  });
  canvas.addEventListener('mouseleave', () => {
    app.view.hovered = null;
    element('tip').hidden = true;
    app.view.redraw();
  });
  canvas.addEventListener('click', (event) => {
    const box = boxOf(event);
    element('tip').hidden = true;
    if (box) app.zoomTo(box.ref);
  });
  canvas.addEventListener('contextmenu', (event) => {
    const box = boxOf(event);
    if (!box) return;
    event.preventDefault();
    showMenu(app, box, { x: event.clientX, y: event.clientY });
  });
  new ResizeObserver(() => app.update()).observe(app.view.scroller);
}

function showMenu(app, box, at) {
  element('tip').hidden = true;
  app.menuBox = box;
  element('menu-name').textContent = app.nameParts(box.ref).join('');
  element('menu-remove').disabled = box.ref === 0;
  element('menu-find').disabled = box.ref === 0;
  element('menu-source').disabled = box.ref === 0 || !app.profile.hasLines(app.tree.frame(box.ref));
  Popups.show(element('menu'), at);
}

function connectMenu(app) {
  const on = (id, act) => element(id).addEventListener('click', () => {
    Popups.close();
    app.view.canvas.focus();
    act(app.menuBox.ref);
  });
  on('menu-zoom', (ref) => app.zoomTo(ref));
  on('menu-copy', (ref) => app.copyName(ref));
  on('menu-find', (ref) => app.findMethod(app.tree.frame(ref)));
  on('menu-tree', (ref) => { app.state.set({ side: 'tree' }); app.select(ref); });
  on('menu-source', (ref) => app.showSource(app.tree.frame(ref)));
  on('menu-remove', (ref) => app.removeMethod(ref));
  element('menu').addEventListener('keydown', (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (step === undefined) return;
    const items = [...element('menu').querySelectorAll('button:not(:disabled)')];
    items[(items.indexOf(document.activeElement) + step + items.length) % items.length].focus();
    event.preventDefault();
  });
}

function connectKeys(app) {
  const onFocused = (act) => () => { if (app.focused) act(app.focused.ref); };
  const keys = {
    '/': () => element('find').focus(),
    f: () => app.toggleFlip(),
    r: () => app.toggleReverse(),
    m: () => app.toggleSide('methods'),
    h: () => app.toggleSide('tree'),
    l: () => { if (!element('source-button').hidden) app.toggleSide('source'); },
    s: () => { if (app.profile.calls.length > 0) app.toggleSide('calls'); },
    e: () => app.showEvents(true),
    g: () => app.showEvents(false),
    t: () => app.toggleTheme(),
    n: () => app.nextMatch(1),
    N: () => app.nextMatch(-1),
    c: onFocused((ref) => app.copyName(ref)),
    x: onFocused((ref) => app.removeMethod(ref)),
    Delete: onFocused((ref) => app.removeMethod(ref)),
    Enter: onFocused((ref) => app.zoomTo(ref)),
    '?': () => Popups.toggle(element('help'), element('help-button')),
    Home: () => app.reset(),
  };
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') {
      if (!Popups.close()) app.reset();
      return;
    }
    const inField = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    const onButton = event.target.tagName === 'BUTTON' && event.key === 'Enter';
    if (inField || onButton || Popups.open && event.key !== '?') return;
    const onGraph = document.activeElement === app.view.canvas || document.activeElement === document.body;
    if (onGraph && event.key.startsWith('Arrow')) {
      app.moveFocus(event.key);
    } else if (onGraph && app.focused && (event.key === 'ContextMenu' || event.key === 'F10' && event.shiftKey)) {
      const rect = app.view.rectOf(app.focused);
      const origin = app.view.canvas.getBoundingClientRect();
      showMenu(app, app.focused, { x: origin.left + rect.left + 8, y: origin.top + rect.top + rect.height });
    } else if (keys[event.key]) {
      keys[event.key]();
    } else {
      return;
    }
    event.preventDefault();
  });
}

function storedTheme() {
  try {
    return localStorage.getItem('theme');
  } catch {
    return null;
  }
}

const app = new App(new Profile(JSON.parse(element('profile').textContent)));
const dark = matchMedia('(prefers-color-scheme: dark)');
showHeader(app);
showEvents(app);
hideUnused(app);
connectToolbar(app);
connectGraph(app);
connectMenu(app);
connectKeys(app);
app.setTheme(storedTheme() || (dark.matches ? 'dark' : 'light'));
dark.addEventListener('change', () => { if (!storedTheme()) app.setTheme(dark.matches ? 'dark' : 'light'); });
window.flameGraph = app; // for scripts and the console
