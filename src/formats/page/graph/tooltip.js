// The card that follows the mouse: the name and weight of a frame, and how its code ran.

function showTip(app, box, event) {
  const tip = element('tip');
  tip.hidden = !box;
  if (!box) return;
  fillTip(app, box.ref, tip);
  const gap = 14;
  const left = event.clientX + gap + tip.offsetWidth > innerWidth
    ? event.clientX - gap - tip.offsetWidth : event.clientX + gap;
  const top = event.clientY + gap + tip.offsetHeight > innerHeight
    ? event.clientY - gap - tip.offsetHeight : event.clientY + gap;
  tip.style.transform = `translate(${Math.max(left, 4)}px, ${Math.max(top, 4)}px)`;
}

function fillTip(app, ref, tip) {
  if (tip.dataset.ref === String(ref) && app.tipTree === app.tree) return;
  tip.dataset.ref = ref;
  app.tipTree = app.tree;
  const [owner, name] = app.nameParts(ref);
  tip.querySelector('.name').replaceChildren(Object.assign(document.createElement('span'), { textContent: owner }), name);
  const rows = [];
  const add = (label, value) => rows.push([label, value]);
  const { selection, tree, kind } = app;
  const all = selection.sum;
  if (ref !== 0) {
    const row = (weight, variance) => `${share(weight, all)} · ${weightText(kind, weight)}${errorText(kind, weight, variance)}`;
    add('total', row(tree.total(ref), tree.variance(ref)));
    add(app.state.values.reverse ? 'outermost' : 'self', row(tree.self(ref), tree.selfVariance(ref)));
    if (app.layout.zoom !== 0) add('of the zoomed', share(tree.total(ref), tree.total(app.layout.zoom)));
    const frame = tree.frame(ref);
    if (app.profile.isSymbol[frame] && app.profile.owners[frame]) add('library', app.profile.owners[frame]);
  }
  tip.querySelector('.explanation').textContent = ref === 0 ? '' : app.profile.explanationOf(tree.frame(ref)) || '';
  tip.querySelector('dl').replaceChildren(...rows.flatMap(([label, value]) => [
    Object.assign(document.createElement('dt'), { textContent: label }),
    Object.assign(document.createElement('dd'), { textContent: value }),
  ]));
  tip.querySelector('.kinds').replaceChildren(...(ref === 0 ? [] : shareLines(app, ref)));
}

// Returns lines that explain the colours of a node, with shares. The lines are about the frame
// kinds of the node over the whole recording, or about the states of its selected samples.
function shareLines({ tree, colours, profile, byState }, ref) {
  const parts = byState ? tree.stateParts(ref) : tree.tierParts(ref);
  const sum = parts.reduce((all, [, weight]) => all + weight, 0);
  return parts.map(([part, weight]) => {
    const line = document.createElement('div');
    const swatch = document.createElement('i');
    swatch.style.background = byState ? colours.toneOfState(part) : colours.tone(part);
    const text = byState ? stateText(profile.states[part]) : profile.frameKinds[part].text;
    line.append(swatch, parts.length > 1 ? `${text} · ${share(weight, sum)}` : text);
    return line;
  });
}
