// The page: state to selection to tree to layout to picture. Each step is redone only when its
// input changed.

const element = (id) => document.getElementById(id);

class App {
  constructor(profile) {
    this.profile = profile;
    this.colours = new Colours(profile);
    this.matches = null; // by frame, or null
    this.matchIndex = -1;
    this.focused = null; // box
    this.done = {}; // what each step was last made from
    this.view = new GraphView(element('graph'), {
      layout: () => this.layout,
      nameOf: (ref) => this.nameParts(ref),
      fill: (ref, depth) => this.fill(ref, depth),
      flipped: () => this.state.values.view === 'flame',
      marks: (hovered) => this.marks(hovered),
    });
    this.table = new MethodTable(element('methods'), (method) => this.findMethod(method));
    this.timeline = new Timeline(element('timeline'), (from, to) => this.chooseSpan(from, to));
    this.threadList = new ThreadList(element('threads'), profile, (set) => this.chooseThreads(set));
    this.state = new PageState(() => this.update());
    this.update();
    this.view.scrollToRoot();
  }

  get kind() { return this.profile.kinds[this.kindIndex]; }

  get kindIndex() {
    const index = this.profile.kinds.findIndex((kind) => kind.name === this.state.values.event);
    return index < 0 ? this.profile.firstKind : index;
  }

  // ---- from the state to the picture

  update() {
    const { values } = this.state;
    const last = this.profile.slices - 1;
    const threads = this.state.numbers('threads', this.profile.threads.length);
    const [from] = [...this.state.numbers('from', last + 1), 0];
    const [to] = [...this.state.numbers('to', last + 1), last];
    const removed = this.state.numbers('without', this.profile.owners.length, 36);
    this.span = from <= to ? { from, to } : { from: 0, to: last };
    this.threads = threads.length > 0 ? new Set(threads) : null;
    this.removed = new Set(removed);
    const chosen = JSON.stringify([this.kindIndex, threads, this.span, removed]);
    const newSelection = this.step('selection', chosen, () => {
      this.selection = new Selection(this.profile, {
        kind: this.kindIndex, threads: this.threads, ...this.span, removed: this.removed,
      });
    });
    const newTree = this.step('tree', values.reverse, () => {
      const Tree = values.reverse ? ReverseTree : ForwardTree;
      this.tree = new Tree(this.profile, this.selection);
    }, newSelection);
    element('methods').hidden = !values.methods;
    const newMatches = this.step('find', values.find, () => this.match(values.find));
    const newLayout = this.step('layout', JSON.stringify([values.zoom, this.view.width]), () => {
      const zoom = values.zoom ? this.tree.refOf(values.zoom) || 0 : 0;
      this.layout = new Layout(this.tree, zoom, this.view.width);
      this.focused = this.view.hovered = null;
    }, newTree);
    if (newLayout || newMatches) {
      this.found = this.matches ? this.layout.outermost(this.matches) : [];
      this.matchIndex = -1;
    }
    const flipped = this.step('view', values.view, () => {});
    this.view.resize();
    if (flipped) this.view.scrollToRoot();
    else if (newLayout && this.layout.zoom) this.view.scrollTo(this.layout.find(this.layout.zoom));
    this.showControls();
  }

  // Runs `make` if its input changed; true if so.
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
    const what = this.state.values.reverse ? 'all innermost frames' : 'all';
    const { kind, selection } = this;
    const parts = [what, weightText(kind || { unit: 'samples' }, selection.sum)];
    if (kind && kind.elapsed && kind.intervalNs > 0 && selection.sum > 0) parts.push(threadsText(kind, selection));
    return parts.join(' · ');
  }

  fill(ref, depth) {
    const frame = this.tree.frame(ref);
    const tier = this.tree.tier(ref);
    const look = this.matches ? (this.matches[frame] ? 'matched' : 'dimmed')
      : depth < this.layout.zoomDepth ? 'above' : 'plain';
    return this.colours.of(frame, tier, look);
  }

  marks(hovered) {
    const ink = this.colours.isDark ? '#ffffff' : '#1d2433';
    const marks = [];
    if (this.matchIndex >= 0) marks.push([this.found[this.matchIndex], '#d6249f']);
    if (hovered) marks.push([hovered, this.colours.isDark ? '#ffffffaa' : '#1d243388']);
    if (this.focused) marks.push([this.focused, ink]);
    return marks;
  }

  // ---- controls that follow the state

  showControls() {
    const { values } = this.state;
    for (const button of element('events').children) {
      button.setAttribute('aria-checked', String(Number(button.dataset.kind) === this.kindIndex));
      button.tabIndex = Number(button.dataset.kind) === this.kindIndex ? 0 : -1;
    }
    element('event-select').value = this.kindIndex;
    element('thread-button').querySelector('span').textContent = this.threadText();
    element('thread-button').classList.toggle('active', this.threads !== null);
    this.threadList.show(this.threads);
    const pressed = { flip: values.view === 'flame', reverse: !!values.reverse, 'methods-button': !!values.methods };
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
    if (values.methods) {
      this.table.show({
        profile: this.profile, selection: this.selection, matches: this.matches, share,
        tone: (kind) => this.colours.tone(kind),
      });
    }
    this.step('legend', this.kindIndex, () => showLegend(this));
    this.showEmpty();
    this.describe(this.focused);
  }

  // The reason for an empty picture; and the other requested events without samples.
  showEmpty() {
    const empty = element('empty');
    empty.hidden = this.selection.sum > 0;
    const reason = this.kind && this.kind.note;
    empty.textContent = reason ? sentence(reason)
      : 'No samples here. Choose another kind, thread or span of time.';
    const others = this.profile.kinds.filter((kind) => kind !== this.kind && kind.note);
    element('notice').textContent = others.map((kind) => sentence(kind.note)).join(' ');
  }

  threadText() {
    if (!this.threads) return `${this.profile.threads.length} threads`;
    const [first] = this.threads;
    return this.threads.size === 1 ? this.profile.threads[first]
      : `${this.threads.size} of ${this.profile.threads.length} threads`;
  }

  showMatches() {
    const out = element('matched');
    element('find').setAttribute('aria-invalid', String(!!this.notRegex));
    element('find').title = this.notRegex ? 'No regular expression: the text itself is searched.' : '';
    for (const id of ['previous', 'next', 'clear']) element(id).disabled = !this.matches;
    out.textContent = '';
    if (!this.matches) return;
    const weight = this.selection.matchedWeight(this.matches);
    const at = this.matchIndex >= 0 ? `${this.matchIndex + 1} of ${this.found.length} · ` : '';
    out.textContent = `${at}matched ${share(weight, this.selection.sum)}`;
    out.title = weightText(this.kind, weight);
  }

  showChips() {
    const chips = [...this.removed].map((method) => {
      const chip = document.createElement('button');
      chip.className = 'chip';
      const name = this.profile.nameOf(method);
      chip.textContent = 'without ' + name;
      chip.title = 'Bring these stacks back';
      chip.addEventListener('click', () => {
        const rest = [...this.removed].filter((other) => other !== method);
        this.state.set({ without: rest.map((m) => m.toString(36)).join('.') });
      });
      return chip;
    });
    if (this.layout.zoom !== 0) {
      const chip = document.createElement('button');
      chip.className = 'chip zoom';
      chip.textContent = 'zoomed into ' + this.nameParts(this.layout.zoom)[1];
      chip.title = 'Show everything (Escape)';
      chip.addEventListener('click', () => this.reset());
      chips.unshift(chip);
    }
    element('chips').replaceChildren(...chips);
  }

  // The line at the foot, also for screen readers.
  describe(box) {
    element('status').textContent = box ? this.textOf(box.ref) : this.summary();
  }

  summary() {
    if (this.profile.missing) return 'Not all of the recording could be read: ' + this.profile.missing;
    return this.layout.zoom ? this.textOf(this.layout.zoom) : 'Click a frame to zoom, ? for the keys.';
  }

  textOf(ref) {
    const [owner, name] = this.nameParts(ref);
    if (ref === 0) return name;
    const total = this.tree.total(ref);
    const self = this.tree.self(ref);
    const explanation = this.profile.explanationOf(this.tree.frame(ref));
    return `${owner}${name}, ${share(total, this.selection.sum)}, ${weightText(this.kind, total)}, ` +
      `${share(self, this.selection.sum)} ${this.state.values.reverse ? 'started here' : 'self'}, ` +
      (explanation || this.profile.frameKinds[this.tree.tier(ref)].text);
  }
}
