// The actions of the user, by mouse, keyboard and menu.

Object.assign(App.prototype, {
  zoomTo(ref) {
    if (ref === this.layout.zoom) return;
    const at = ref === this.selected ? this.state.values.at : '';
    this.state.set({ zoom: ref === 0 ? '' : this.tree.textOf(ref), at, ...this.methodOf(ref) });
  },

  reset() {
    const { zoom, at } = this.state.values;
    if (zoom || at) this.state.set({ zoom: '', at: '' }, zoom ? 'push' : 'replace');
    this.view.scrollToRoot();
  },

  // Selects a node in the graph and in the call tree.
  select(ref) {
    this.state.set({ at: ref === 0 ? '0' : this.tree.textOf(ref), ...this.methodOf(ref) }, 'replace');
    if (this.focused) this.view.scrollTo(this.focused);
    this.view.redraw();
  },

  // Returns the change of the state that makes the method of a node the chosen one.
  methodOf(ref) {
    return ref === 0 ? {} : { method: this.tree.frame(ref).toString(36) };
  },

  chooseKind(index) {
    this.state.set({ event: this.profile.kinds[index].name });
  },

  // Chooses entries of `key`, which is "threads" or "states"; null for all entries.
  chooseEntries(key, set) {
    this.state.set({ [key]: set ? [...set].sort((a, b) => a - b).join('.') : '' });
  },

  chooseThreads(set) { this.chooseEntries('threads', set); },

  chooseSpan(from, to) {
    this.state.set(from === null ? { from: '', to: '' } : { from: String(from), to: String(to) });
  },

  toggleFlip() {
    this.state.set({ view: this.state.values.view === 'flame' ? 'icicle' : 'flame' });
  },

  toggleReverse() {
    this.state.set({ reverse: this.state.values.reverse ? '' : '1', zoom: '', at: '' });
  },

  toggleColours() {
    this.state.set({ colours: this.state.values.colours ? '' : 'state' });
  },

  // Shows a panel. If the panel is already shown, hides it.
  toggleSide(side) {
    const leave = Object.assign({}, ...PARTS.map((part) => part.leave));
    this.state.set({ side: this.state.values.side === side ? '' : side, ...leave });
  },

  find(text, how = 'replace') {
    this.state.set({ find: text }, how);
  },

  findMethod(method) {
    const name = this.profile.nameOf(method);
    const find = '^' + name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') + '$';
    this.state.set({ find, method: method.toString(36) });
    this.nextMatch(1);
  },

  nextMatch(step) {
    if (this.found.length === 0) return;
    const count = this.found.length;
    this.matchIndex = this.matchIndex < 0 ? (step > 0 ? 0 : count - 1)
      : (this.matchIndex + step + count) % count;
    this.select(this.found[this.matchIndex].ref);
  },

  removeMethod(ref) {
    if (ref === 0) return;
    const next = new Set(this.removed).add(this.tree.frame(ref));
    this.state.set({ without: [...next].map((m) => m.toString(36)).join('.'), zoom: '' });
  },

  setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    element('theme').setAttribute('aria-label', theme === 'dark' ? 'Light colours' : 'Dark colours');
    element('theme').title = theme === 'dark' ? 'Light colours (t)' : 'Dark colours (t)';
    this.colours.reset();
    showLegend(this);
    this.showControls();
    this.view.redraw();
  },

  toggleTheme() {
    const theme = this.colours.isDark ? 'light' : 'dark';
    try {
      localStorage.setItem('theme', theme);
    } catch {
      // A page that is opened from a file might have no storage. The theme changes all the same.
    }
    this.setTheme(theme);
  },

  async copyName(ref) {
    const text = this.nameParts(ref).join('');
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement('textarea');
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand('copy');
      area.remove();
    }
    this.say('Copied ' + text);
  },

  say(text) {
    const toast = element('toast');
    toast.textContent = text;
    toast.classList.add('shown');
    clearTimeout(this.toastTimer);
    this.toastTimer = setTimeout(() => toast.classList.remove('shown'), 1800);
  },

  save(blob, name) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  },

  savePicture() {
    this.view.draw();
    const picture = document.createElement('canvas');
    picture.width = this.view.canvas.width;
    picture.height = this.view.canvas.height;
    const context = picture.getContext('2d');
    context.fillStyle = getComputedStyle(document.body).backgroundColor;
    context.fillRect(0, 0, picture.width, picture.height);
    context.drawImage(this.view.canvas, 0, 0);
    picture.toBlob((blob) => this.save(blob, 'flame-graph.png'));
  },

  // Returns the selected samples below the zoomed frame, in the collapsed format.
  collapsedText() {
    const { profile, selection } = this;
    const zoom = this.state.values.reverse ? 0 : this.layout.zoom;
    const lines = [];
    const ends = [0];
    let line = '';
    for (let i = 1; i < profile.nodeCount; i++) {
      ends.length = profile.depth[i];
      line = line.slice(0, ends[ends.length - 1]);
      // Replaces the characters that separate frames and lines in the collapsed format.
      const name = profile.nameOf(profile.frame[i]).replaceAll(';', '|').replaceAll(/[\r\n]/g, ' ');
      line += (line ? ';' : '') + name;
      ends.push(line.length);
      const inside = i >= zoom && i < profile.end[zoom];
      if (inside && selection.self[i] > 0) lines.push(`${line} ${selection.self[i]}`);
    }
    return lines.join('\n') + '\n';
  },

  saveCollapsed() {
    this.save(new Blob([this.collapsedText()], { type: 'text/plain' }), 'stacks.collapsed');
  },

  moveFocus(key) {
    const { layout } = this;
    if (!this.focused) {
      this.select(layout.zoom);
      return;
    }
    const down = this.state.values.view === 'flame' ? 'ArrowUp' : 'ArrowDown';
    const next = key === 'ArrowLeft' ? layout.besideOf(this.focused, -1)
      : key === 'ArrowRight' ? layout.besideOf(this.focused, 1)
        : key === down ? layout.childOf(this.focused) : layout.parentOf(this.focused);
    if (next) this.select(next.ref);
  },
});
