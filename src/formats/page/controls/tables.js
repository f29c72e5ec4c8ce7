// Makes the buttons of the panels and the caps of keys from the tables of parts.js. Also adds the
// rows for the graph to MENU and KEYS.

function keyCap(name) {
  const cap = document.createElement('kbd');
  cap.textContent = name;
  return cap;
}

function showPanelButtons(app) {
  element('sides').append(...app.panels.map(({ side, name, title, key }) => {
    const button = document.createElement('button');
    button.id = side + '-button';
    button.title = `${title} (${key})`;
    button.textContent = name;
    const close = document.createElement('button');
    close.className = 'plain close';
    close.title = `Close (${key})`;
    close.setAttribute('aria-label', 'Close');
    close.append(element('clear').firstElementChild.cloneNode(true));
    element(side).querySelector('.bar').append(close);
    for (const each of [button, close]) each.addEventListener('click', () => app.toggleSide(side));
    return button;
  }));
}

const isRoot = (app, ref) => ref === 0;

MENU.push(
  { id: 'zoom', name: 'Zoom', key: 'Enter', act: (app, ref) => app.zoomTo(ref) },
  { id: 'copy', name: 'Copy name', key: 'c', act: (app, ref) => app.copyName(ref) },
  { id: 'find', name: 'Find all of this method', isOff: isRoot, act: (app, ref) => app.findMethod(app.tree.frame(ref)) },
  { id: 'remove', name: 'Remove stacks with this method', key: 'x', isOff: isRoot, act: (app, ref) => app.removeMethod(ref) },
);

const ofFocused = (act) => (app) => { if (app.focused) act(app, app.focused.ref); };
const remove = ofFocused((app, ref) => app.removeMethod(ref));

KEYS.push(
  { help: 'move between frames', shown: ['←', '↑', '↓', '→'] },
  { help: 'zoom into the frame', keys: { Enter: ofFocused((app, ref) => app.zoomTo(ref)) } },
  { help: 'show everything', shown: ['Esc'], keys: { Home: (app) => app.reset() } },
  { help: 'search', keys: { '/': () => element('find').focus() } },
  { help: 'next, previous match', keys: { n: (app) => app.nextMatch(1), N: (app) => app.nextMatch(-1) } },
  { help: 'reverse: callers of the innermost frames', keys: { r: (app) => app.toggleReverse() } },
  { help: 'root at the bottom or at the top', keys: { f: (app) => app.toggleFlip() } },
  { help: 'colours by how code ran or by states of threads', keys: { a: (app) => app.toggleColours() } },
  { help: "copy the frame's name", keys: { c: ofFocused((app, ref) => app.copyName(ref)) } },
  { help: "remove stacks with the frame's method", shown: ['x'], keys: { x: remove, Delete: remove } },
  { help: 'dark or light', keys: { t: (app) => app.toggleTheme() } },
  { keys: { '?': () => Popups.toggle(element('help'), element('help-button')) } },
);
