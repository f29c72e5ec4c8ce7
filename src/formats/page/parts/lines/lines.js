// The lines of methods: decodes them, and adds their panel and an entry of the menu.

PARTS.push({
  decode(profile, raw) {
    if (raw.lines) profile.lines = new LineTree(profile, raw.lines);
    profile.linesNote = raw.linesNote || '';
    profile.sources = new Sources(raw);
  },
});

PANELS.push({
  side: 'source', name: 'Lines', title: 'Lines of a method', key: 'l',
  isThere: ({ lines, linesNote }) => lines !== null || linesNote !== '',
  make: (panel) => new SourcePanel(panel),
  show(panel, app) {
    const { profile, selection, kind } = app;
    panel.show({ profile, selection, kind, whole: selection.sum, method: shownMethod(app) });
  },
});

MENU.push({
  id: 'source', name: 'Lines of this method', key: 'l',
  isThere: ({ lines }) => lines !== null,
  isOff: ({ tree, profile }, ref) => ref === 0 || !profile.lines.has(tree.frame(ref)),
  act: (app, ref) => app.state.set({ side: 'source', ...app.methodOf(ref) }),
});

// Returns the chosen method. If no method is chosen, returns the method with known lines that has
// the most self weight, or -1 if there is no such method.
function shownMethod({ state, profile, selection }) {
  const [chosen] = state.numbers('method', profile.owners.length, 36);
  if (chosen !== undefined) return chosen;
  const { self } = selection.methods();
  let hottest = -1;
  self.forEach((weight, method) => {
    if (weight > (hottest < 0 ? 0 : self[hottest]) && profile.lines && profile.lines.has(method)) hottest = method;
  });
  return hottest;
}
