// The events of the data, the view that shows them in place of the graph, and the buttons and keys
// that open and close this view.

Object.assign(DEFAULTS, {
  events: '', // type that is shown; empty if the graph is shown
  sort: '', // column of the table, negative for descending
  text: '', // search text in the table
});

PARTS.push({
  leave: { events: '' },
  decode(profile, raw) {
    profile.events = (raw.events || []).map((type) => new EventType(type));
    profile.eventsNote = raw.eventsNote || '';
    DEFAULTS.events = raw.eventsFirst || '';
  },
  connect(app) {
    const tabs = element('views');
    element('bar').prepend(tabs);
    const { events } = app.profile;
    if (events.length === 0) return;
    tabs.hidden = false;
    this.table = new EventTable(element('events-view'), events, ({ type, ...changes }) => {
      app.state.set({ ...(type ? { events: type } : {}), ...changes }, type ? 'push' : 'replace');
    });
    const show = (type) => () => app.state.set({ events: type, sort: '', text: '' });
    const [toEvents, toGraph] = [show(events[0].name), show('')];
    element('events-button').addEventListener('click', toEvents);
    element('graph-button').addEventListener('click', toGraph);
    KEYS.push({ help: 'all events, back to the graph', keys: { e: toEvents, g: toGraph } });
  },
  show(app) {
    const { events: type, sort, text, threads } = app.state.values;
    const isShown = type !== '' && this.table !== undefined;
    element('events-view').hidden = !isShown;
    element('events-button').setAttribute('aria-pressed', String(isShown));
    element('graph-button').setAttribute('aria-pressed', String(!isShown));
    if (!isShown) return false;
    app.step('within', JSON.stringify([threads, app.span, app.scopeId]), () => { this.within = spanOf(app); });
    this.table.show({ type, sort, text, within: this.within, note: app.profile.eventsNote });
    return true;
  },
});

// Returns the interval of time and the threads of the scope or, without a scope, the chosen
// interval and threads. If the chosen interval starts at the start of the recording, it has no
// lower bound. If it ends at the end of the recording, it has no upper bound.
function spanOf({ profile, scope, span, threads }) {
  const namesOf = (numbers) => new Set([...numbers].map((thread) => profile.threads[thread]));
  if (scope) {
    return { fromNs: scope.fromNs, toNs: scope.fromNs + scope.lengthNs, threads: scope.thread === undefined ? null : namesOf([scope.thread]) };
  }
  const { startMs, sliceStartMs, sliceMs, slices } = profile;
  const ns = (slice) => (sliceStartMs + slice * sliceMs - startMs) * 1e6;
  return {
    fromNs: span.from === 0 ? -Infinity : ns(span.from),
    toNs: span.to === slices - 1 ? Infinity : ns(span.to + 1),
    threads: threads && namesOf(threads),
  };
}
