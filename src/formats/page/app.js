// The page makes a selection from the state, a tree from the selection, a layout from the tree, and
// the picture from the layout. Each step is repeated only when its input has changed.

const element = (id) => document.getElementById(id);

class App {
  constructor(profile) {
    this.profile = profile;
    this.colours = new Colours(profile);
    this.matches = null; // by frame, true if the search finds it; null without a search
    this.matchIndex = -1;
    this.focused = null; // box
    this.done = {}; // last input, by step
    this.view = new GraphView(element('graph'), {
      layout: () => this.layout,
      nameOf: (ref) => this.nameParts(ref),
      fill: (ref, depth) => this.fill(ref, depth),
      flipped: () => this.state.values.view === 'flame',
      marks: (hovered) => this.marks(hovered),
    });
    this.panels = PANELS.filter((row) => !row.isThere || row.isThere(profile));
    for (const row of this.panels) row.made = row.make(element(row.side), this);
    this.splitter = new Splitter(element('edge'), (percent) => this.state.set({ width: String(percent) }, 'replace'));
    this.timeline = new Timeline(element('timeline'), (from, to) => this.chooseSpan(from, to));
    this.threadChoices = new Choices(element('threads'), {
      names: profile.threads, titles: profile.threads.map((name) => profile.placeholders.get(name)),
    }, (set) => this.chooseEntries('threads', set));
    this.stateChoices = new Choices(element('states'), {
      names: profile.states.map(stateText), titles: profile.states,
    }, (set) => this.chooseEntries('states', set));
    for (const part of PARTS) part.connect?.(this);
    showPanelButtons(this);
    this.state = new PageState(() => this.update());
    this.update();
    this.view.scrollToRoot();
  }

  get kind() { return this.profile.kinds[this.kindIndex]; }

  get kindIndex() {
    const index = this.profile.kinds.findIndex((kind) => kind.name === this.state.values.event);
    return index < 0 ? this.profile.firstKind : index;
  }

  // True if colours stand for the states of threads.
  get byState() { return this.state.values.colours === 'state' && this.profile.states.length > 1; }

  get scopeId() { return this.scope && this.scope.id; }

  // ---- from the state to the picture

  update() {
    const { values } = this.state;
    this.readChoices();
    this.showParts();
    const chosen = JSON.stringify([this.kindIndex, values.threads, values.states, this.span, this.scopeId, values.without]);
    const newSelection = this.step('selection', chosen, () => {
      this.selection = new Selection(this.profile, {
        kind: this.kindIndex, threads: this.threads, states: this.states, ...this.span, scope: this.scope, removed: this.removed,
      });
    });
    const newTree = this.step('tree', JSON.stringify([values.reverse, this.byState]), () => {
      const Tree = values.reverse ? ReverseTree : ForwardTree;
      this.tree = new Tree(this.profile, this.selection, this.byState);
    }, newSelection);
    const newMatches = this.step('find', values.find, () => this.match(values.find));
    const newLayout = this.step('layout', JSON.stringify([values.zoom, this.view.width]), () => {
      const zoom = values.zoom ? this.tree.refOf(values.zoom) || 0 : 0;
      this.layout = new Layout(this.tree, zoom, this.view.width);
      this.view.hovered = null;
    }, newTree);
    this.step('at', values.at, () => this.findSelected(), newLayout);
    if (newLayout || newMatches) {
      this.found = this.matches ? this.layout.outermost(this.matches) : [];
      this.matchIndex = -1;
    }
    const flipped = this.step('view', values.view, () => {});
    this.view.resize();
    if (flipped) this.view.scrollToRoot();
    else if (newLayout && this.layout.zoom) this.view.scrollTo(this.layout.find(this.layout.zoom));
    this.showControls();
    this.showSide();
  }

  // Shows the graph and the chosen panel next to it, or a part of the page in place of the graph.
  showParts() {
    const { values } = this.state;
    this.isCovered = PARTS.filter((part) => part.show?.(this)).length > 0;
    element('graph').hidden = this.isCovered;
    element('edge').hidden = true;
    for (const { side } of this.panels) {
      const isShown = !this.isCovered && values.side === side;
      element(side).hidden = !isShown;
      if (isShown) element('edge').hidden = false;
    }
    this.splitter.show(Math.min(Math.max(parseInt(values.width, 10) || 34, SIDE_PERCENT.least), SIDE_PERCENT.most));
  }

  // Reads the choices from the state and ignores unknown ones. `scope` is null, or a part of the
  // recording that is shown in place of chosen threads and an interval of time: { id, name, chip,
  // leave(), fromNs, lengthNs, thread, cells(kindIndex) }.
  readChoices() {
    const { profile, state } = this;
    const last = profile.slices - 1;
    const setOf = (key, count) => {
      const numbers = state.numbers(key, count);
      return numbers.length > 0 ? new Set(numbers) : null;
    };
    const [from] = [...state.numbers('from', last + 1), 0];
    const [to] = [...state.numbers('to', last + 1), last];
    this.span = from <= to ? { from, to } : { from: 0, to: last };
    this.threads = setOf('threads', profile.threads.length);
    this.states = setOf('states', profile.states.length);
    this.removed = new Set(state.numbers('without', profile.owners.length, 36));
    this.scope = null;
    for (const part of PARTS) part.read?.(this);
    if (this.scope) Object.assign(this, { threads: null, span: { from: 0, to: last } });
  }

  // Sets `selected` to the selected node, or to null if there is none. Sets `focused` to the box of
  // this node, or to null if the box is not drawn.
  findSelected() {
    const { at } = this.state.values;
    this.selected = at === '' ? null : at === '0' ? 0 : this.tree.refOf(at);
    this.focused = this.selected === null ? null : this.layout.find(this.selected);
  }

  // Runs `make` if the input of the step has changed or if `force` is true. Returns true if `make`
  // ran.
  step(name, input, make, force = false) {
    if (!force && this.done[name] === input) return false;
    this.done[name] = input;
    make();
    return true;
  }

  match(text) {
    this.matches = null;
    this.notRegex = false;
    if (text === '') return;
    const { pattern, literal } = searchPattern(text);
    this.notRegex = literal;
    this.matches = new Uint8Array(this.profile.owners.length);
    for (let i = 0; i < this.matches.length; i++) {
      this.matches[i] = pattern.test(this.profile.nameOf(i)) ? 1 : 0;
    }
  }

  // ---- queries of the picture

  nameParts(ref) {
    if (ref === 0) return ['', this.rootName()];
    const frame = this.tree.frame(ref);
    return [this.profile.ownerPrefix(frame), this.profile.names[frame]];
  }

  rootName() {
    const { kind, selection, scope } = this;
    const what = scope ? scope.name
      : this.state.values.reverse ? 'all innermost frames' : 'all';
    const error = kind ? errorText(kind, selection.sum, selection.variances?.[0]) : '';
    const parts = [what, weightText(kind || { unit: 'samples' }, selection.sum) + error];
    if (kind && kind.elapsed && kind.intervalNs > 0 && selection.sum > 0) parts.push(threadsText(kind, selection));
    return parts.join(' · ');
  }

  fill(ref, depth) {
    const frame = this.tree.frame(ref);
    const look = this.matches ? (this.matches[frame] ? 'matched' : 'dimmed')
      : depth < this.layout.zoomDepth ? 'above' : 'plain';
    const { kindHues, stateHues } = this.colours;
    const hue = ref !== 0 && this.byState ? stateHues[this.tree.stateParts(ref)[0][0]] : kindHues[this.tree.tier(ref)];
    return this.colours.of(frame, hue, look);
  }

  marks(hovered) {
    const ink = this.colours.isDark ? '#ffffff' : '#1d2433';
    const marks = [];
    if (this.matchIndex >= 0) marks.push([this.found[this.matchIndex], '#d6249f']);
    if (hovered) marks.push([hovered, this.colours.isDark ? '#ffffffaa' : '#1d243388']);
    if (this.focused) marks.push([this.focused, ink]);
    return marks;
  }
}
