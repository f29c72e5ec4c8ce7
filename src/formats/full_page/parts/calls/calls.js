// Slow calls: their part of the data, and a call as the scope of the page.

DEFAULTS.call = ''; // index of the call that has the graph to itself

class SlowCall {
  constructor(profile, raw) {
    Object.assign(this, raw, { profile, decoded: [] }); // decoded: cells, by kind
  }

  get label() { return `${this.method}, ${inUnits(this.durationNs, TIME_UNITS)}`; }

  cellsOf(kindIndex) {
    return this.decoded[kindIndex] ??= this.profile.decodeCells(this.cells[kindIndex]);
  }

  weightOf(kindIndex) {
    return this.cellsOf(kindIndex).weight.reduce((sum, weight) => sum + weight, 0);
  }
}

function chooseCall(app, index) {
  app.state.set({ call: index === null ? '' : String(index), zoom: '', at: '' });
}

PARTS.push({
  decode(profile, raw) {
    profile.calls = (raw.calls || []).map((call) => new SlowCall(profile, call));
    profile.callCount = raw.callCount || 0;
    profile.callsNote = raw.callsNote || '';
  },
  read(app) {
    const [index] = app.state.numbers('call', app.profile.calls.length);
    const call = app.profile.calls[index];
    if (!call) return;
    app.scope = {
      id: index, name: call.label, chip: 'only the call of ' + call.label, leave: () => chooseCall(app, null),
      fromNs: call.startNs, lengthNs: call.durationNs, thread: call.thread, cells: (kindIndex) => call.cellsOf(kindIndex),
    };
  },
});

PANELS.push({
  side: 'calls', name: 'Slow calls', title: 'Slow calls', key: 's',
  isThere: ({ calls }) => calls.length > 0,
  make: (panel, app) => new CallsPanel(panel, (index) => chooseCall(app, index)),
  show: (panel, { profile, kind, kindIndex, scope }) => panel.show({ profile, kind, kindIndex, chosen: scope ? scope.id : -1 }),
});
