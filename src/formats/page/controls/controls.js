// Shows the controls, the panels next to the graph and the line at the foot, according to the
// state.

Object.assign(App.prototype, {
  showControls() {
    const { values } = this.state;
    for (const button of element('events').children) {
      button.setAttribute('aria-checked', String(Number(button.dataset.kind) === this.kindIndex));
      button.tabIndex = Number(button.dataset.kind) === this.kindIndex ? 0 : -1;
    }
    element('event-select').value = this.kindIndex;
    const choices = [
      ['thread-button', this.threadChoices, this.threads, this.selection.byThread, 'threads'],
      ['state-button', this.stateChoices, this.states, this.selection.byState, 'states'],
    ];
    for (const [id, list, chosen, weights, plural] of choices) {
      list.show(chosen, weights);
      element(id).querySelector('span').textContent = list.text(plural);
      element(id).classList.toggle('active', chosen !== null);
    }
    const pressed = { flip: values.view === 'flame', reverse: !!values.reverse, colours: this.byState };
    for (const { side } of this.panels) pressed[side + '-button'] = values.side === side;
    for (const [id, on] of Object.entries(pressed)) element(id).setAttribute('aria-pressed', String(on));
    if (element('find').value !== values.find) element('find').value = values.find;
    this.showMatches();
    this.showChips();
    this.timeline.show({
      bySlice: this.selection.bySlice, sliceMs: this.profile.sliceMs, ...this.span,
      colours: this.colours.isDark
        ? { inside: '#5b8def', outside: '#3a4356', veil: '#14171ecc', edge: '#9db8ff' }
        : { inside: '#6c94e8', outside: '#c7d0e2', veil: '#fbfbfdcc', edge: '#2f5fc4' },
    });
    const states = this.byState && this.selection.statesOfNodes().map(({ state }) => state);
    this.step('legend', JSON.stringify([this.kindIndex, states]), () => showLegend(this));
    this.showEmpty();
    this.describe();
  },

  // Shows the reason for an empty picture, and the reasons for other requested events without
  // samples.
  showEmpty() {
    const empty = element('empty');
    empty.hidden = this.selection.sum > 0;
    const reason = this.kind && this.kind.note;
    empty.textContent = reason ? sentence(reason)
      : 'No samples here. Choose another kind, thread or interval of time.';
    const others = this.profile.kinds.filter((kind) => kind !== this.kind && kind.note);
    element('notice').textContent = others.map((kind) => sentence(kind.note)).join(' ');
  },

  showMatches() {
    const out = element('matched');
    element('find').setAttribute('aria-invalid', String(!!this.notRegex));
    element('find').title = this.notRegex ? 'No regular expression: the text itself is searched.' : '';
    for (const id of ['previous', 'next', 'clear']) element(id).disabled = !this.matches;
    out.textContent = '';
    if (!this.matches) return;
    const weight = this.selection.matchedWeight(this.matches);
    const at = this.matchIndex >= 0 ? `${this.matchIndex + 1} of ${this.found.length} ·` : 'matched';
    out.textContent = `${at} ${share(weight, this.selection.sum)}`;
    out.title = weightText(this.kind, weight);
  },

  showChips() {
    const chip = (text, title, act) => {
      const button = document.createElement('button');
      button.className = 'chip';
      button.textContent = text;
      button.title = title;
      button.addEventListener('click', act);
      return button;
    };
    const chips = [...this.removed].map((method) => chip('without ' + this.profile.nameOf(method), 'Bring these stacks back', () => {
      const rest = [...this.removed].filter((other) => other !== method);
      this.state.set({ without: rest.map((m) => m.toString(36)).join('.') });
    }));
    if (this.scope) chips.unshift(chip(this.scope.chip, 'Show all samples', this.scope.leave));
    if (this.layout.zoom !== 0) {
      chips.unshift(chip('zoomed into ' + this.nameParts(this.layout.zoom)[1], 'Show everything (Escape)', () => this.reset()));
      chips[0].classList.add('zoom');
    }
    element('chips').replaceChildren(...chips);
  },

  // Writes the line at the foot, which screen readers read, too.
  describe() {
    element('status').textContent = this.selected === null ? this.summary() : this.textOf(this.selected);
  },

  summary() {
    if (this.profile.missing) return 'Not all of the recording could be read: ' + this.profile.missing;
    return this.layout.zoom ? this.textOf(this.layout.zoom) : 'Click a frame to zoom, ? for the keys.';
  },

  textOf(ref) {
    const [owner, name] = this.nameParts(ref);
    if (ref === 0) return name;
    const total = this.tree.total(ref);
    const self = this.tree.self(ref);
    const explanation = this.profile.explanationOf(this.tree.frame(ref));
    const weight = weightText(this.kind, total) + errorText(this.kind, total, this.tree.variance(ref));
    return `${owner}${name}, ${share(total, this.selection.sum)}, ${weight}, ` +
      `${share(self, this.selection.sum)} ${this.state.values.reverse ? 'started here' : 'self'}, ` +
      (explanation || this.profile.frameKinds[this.tree.tier(ref)].text);
  },

  // Shows the panel beside the graph.
  showSide() {
    if (!this.kind || this.isCovered) return;
    for (const row of this.panels) {
      if (row.side === this.state.values.side) row.show(row.made, this);
    }
  },
});
