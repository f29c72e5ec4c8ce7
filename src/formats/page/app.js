// The page: state to selection to tree to layout to picture. Each step is redone only when its
// input changed.

const SIDES = ['methods', 'tree', 'source', 'calls'];
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
    this.callTree = new CallTreePanel(element('tree'), {
      choose: (ref) => this.select(ref), zoom: (ref) => this.zoomTo(ref),
    });
    this.sourcePanel = new SourcePanel(element('source'));
    this.callsPanel = new CallsPanel(element('calls'), (index) => this.chooseCall(index));
    this.splitter = new Splitter(element('edge'), (percent) => this.state.set({ width: String(percent) }, 'replace'));
    this.eventTable = profile.events.length === 0 ? null
      : new EventTable(element('events-view'), profile.events, (change) => this.chooseEvents(change));
    this.timeline = new Timeline(element('timeline'), (from, to) => this.chooseSpan(from, to));
    this.threadChoices = new Choices(element('threads'), {
      names: profile.threads, titles: profile.threads.map((name) => profile.placeholders.get(name)),
    }, (set) => this.chooseEntries('threads', set));
    this.stateChoices = new Choices(element('states'), {
      names: profile.states.map(stateText), titles: profile.states,
    }, (set) => this.chooseEntries('states', set));
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
    this.readChoices();
    this.showParts();
    const chosen = JSON.stringify([this.kindIndex, values.threads, values.states, this.span, values.call, values.without]);
    const newSelection = this.step('selection', chosen, () => {
      this.selection = new Selection(this.profile, {
        kind: this.kindIndex, threads: this.threads, states: this.states, ...this.span, call: this.call, removed: this.removed,
      });
    });
    const newTree = this.step('tree', values.reverse, () => {
      const Tree = values.reverse ? ReverseTree : ForwardTree;
      this.tree = new Tree(this.profile, this.selection);
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

  // Which parts of the page are there: the graph, what is beside it, or the events.
  showParts() {
    const { values } = this.state;
    this.showsEvents = values.events !== '' && this.eventTable !== null;
    element('graph').hidden = this.showsEvents;
    element('events-view').hidden = !this.showsEvents;
    element('edge').hidden = this.showsEvents || !SIDES.includes(values.side);
    for (const side of SIDES) element(side).hidden = this.showsEvents || values.side !== side;
    this.splitter.show(Math.min(Math.max(parseInt(values.width, 10) || 34, SIDE_PERCENT.least), SIDE_PERCENT.most));
    if (this.showsEvents) {
      const { events, sort, text } = values;
      this.step('within', JSON.stringify([values.threads, this.span, values.call]), () => {
        this.eventsWithin = this.selectedEvents();
      });
      this.eventTable.show({ type: events, sort, text, within: this.eventsWithin, note: this.profile.eventsNote });
    }
  }

  // The chosen span of time and threads, or those of the call, for events; open at the ends of the
  // recording.
  selectedEvents() {
    const { startMs, sliceStartMs, sliceMs, slices, threads } = this.profile;
    if (this.call) {
      const { startNs, durationNs, thread } = this.call;
      return { fromNs: startNs, toNs: startNs + durationNs, threads: new Set([threads[thread]]) };
    }
    const ns = (slice) => (sliceStartMs + slice * sliceMs - startMs) * 1e6;
    return {
      fromNs: this.span.from === 0 ? -Infinity : ns(this.span.from),
      toNs: this.span.to === slices - 1 ? Infinity : ns(this.span.to + 1),
      threads: this.threads && new Set([...this.threads].map((thread) => threads[thread])),
    };
  }

  // The choices that the state names; unknown parts of it are left out.
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
    [this.callIndex] = [...state.numbers('call', profile.calls.length), -1];
    this.call = profile.calls[this.callIndex] || null;
    if (this.call) Object.assign(this, { threads: null, span: { from: 0, to: last } });
  }

  // The selected node and its box; null if it is not drawn.
  findSelected() {
    const { at } = this.state.values;
    this.selected = at === '' ? null : at === '0' ? 0 : this.tree.refOf(at);
    this.focused = this.selected === null ? null : this.layout.find(this.selected);
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
    const { kind, selection, call } = this;
    const what = call ? `${call.method}, ${inUnits(call.durationNs, TIME_UNITS)}`
      : this.state.values.reverse ? 'all innermost frames' : 'all';
    const parts = [what, weightText(kind || { unit: 'samples' }, selection.sum) + errorText(selection.sum, selection.variances?.[0])];
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
}
