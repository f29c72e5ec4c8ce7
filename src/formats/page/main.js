// Builds the page's controls and connects them with the actions.

// The rows of the legend: { tone, label, text }.
function tonesOfKinds({ profile, colours, kindIndex }) {
  const { used } = profile.tiers(kindIndex);
  return profile.frameKinds.map((kind, i) => ({ ...kind, i, tone: colours.tone(i) })).filter(({ i }) => used.has(i));
}

function tonesOfStates({ profile, colours, selection }) {
  return selection.statesOfNodes().map(({ state }) => (
    { tone: colours.toneOfState(state), label: stateText(profile.states[state]), text: profile.states[state] }));
}

function showLegend(app) {
  const rows = app.byState ? tonesOfStates(app) : tonesOfKinds(app);
  element('legend').replaceChildren(...rows.map(({ tone, label, text }) => {
    const item = document.createElement('li');
    const swatch = document.createElement('i');
    swatch.style.background = tone;
    item.append(swatch, label);
    item.title = text;
    return item;
  }));
}

function showHeader(app) {
  const { profile } = app;
  document.title = profile.title + ' · flame graph';
  element('title').textContent = profile.title;
  const start = profile.startMs ? momentText(profile.startMs) : '';
  const length = profile.endMs > profile.startMs
    ? inUnits((profile.endMs - profile.startMs) * 1e6, TIME_UNITS) : '';
  const program = profile.program.split(' ')[0];
  const audit = profile.audit ? 'audit: ' + profile.audit.split(/[:;]/)[0] : '';
  element('about').textContent = [program, start, length, audit].filter((text) => text).join(' · ');
  element('about').title = [profile.program, profile.jvm, profile.pid ? 'pid ' + profile.pid : '',
    profile.audit ? 'stacks of allocations and locks, compared with the JVM\'s own: ' + profile.audit : '']
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

function connectToolbar(app) {
  const on = (id, act) => element(id).addEventListener('click', act);
  on('flip', () => app.toggleFlip());
  on('reverse', () => app.toggleReverse());
  on('colours', () => app.toggleColours());
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
  for (const { id, isOff } of menuOf(app)) element('menu-' + id).disabled = !!isOff && isOff(app, box.ref);
  Popups.show(element('menu'), at);
}

const menuOf = ({ profile }) => MENU.filter((row) => !row.isThere || row.isThere(profile));

function connectMenu(app) {
  element('menu').append(...menuOf(app).map(({ id, name, key, act }) => {
    const button = document.createElement('button');
    button.id = 'menu-' + id;
    button.setAttribute('role', 'menuitem');
    button.append(name, ...(key ? [keyCap(key)] : []));
    button.addEventListener('click', () => {
      Popups.close();
      app.view.canvas.focus();
      act(app, app.menuBox.ref);
    });
    return button;
  }));
  element('menu').addEventListener('keydown', (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (step === undefined) return;
    const items = [...element('menu').querySelectorAll('button:not(:disabled)')];
    items[(items.indexOf(document.activeElement) + step + items.length) % items.length].focus();
    event.preventDefault();
  });
}

function connectKeys(app) {
  const panelKeys = app.panels.map(({ side, title, key }) => ({
    help: title[0].toLowerCase() + title.slice(1), keys: { [key]: () => app.toggleSide(side) },
  }));
  const rows = [...KEYS, ...panelKeys];
  const keys = Object.assign({}, ...rows.map((row) => row.keys));
  element('help').querySelector('dl').append(...rows.filter(({ help }) => help).flatMap((row) => {
    const [names, text] = [document.createElement('dt'), document.createElement('dd')];
    names.append(...(row.shown || Object.keys(row.keys)).map(keyCap));
    text.textContent = row.help;
    return [names, text];
  }));
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
      keys[event.key](app);
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
for (const id of ['state-button', 'colours']) element(id).hidden = app.profile.states.length < 2;
connectToolbar(app);
connectGraph(app);
connectMenu(app);
connectKeys(app);
app.setTheme(storedTheme() || (dark.matches ? 'dark' : 'light'));
dark.addEventListener('change', () => { if (!storedTheme()) app.setTheme(dark.matches ? 'dark' : 'light'); });
window.flameGraph = app; // for scripts and the console
