// The slow calls and requests in the data of the page. The chosen call or request is the scope of
// the page. The scope of a request has no thread, because a request can run on several threads.

DEFAULTS.call = ''; // index of the call whose samples alone are shown

class SlowCall {
  constructor(profile, raw) {
    Object.assign(this, raw, { profile, decoded: [] }); // decoded caches the cells, by kind
  }

  get label() { return `${this.method}, ${inUnits(this.durationNs, TIME_UNITS)}`; }

  cellsOf(kindIndex) {
    return this.decoded[kindIndex] ??= this.profile.decodeCells(this.cells[kindIndex]);
  }

  weightOf(kindIndex) {
    return this.cellsOf(kindIndex).weight.reduce((sum, weight) => sum + weight, 0);
  }
}

function countText(count, shown, what) {
  if (count === 0) return '';
  if (count > shown) return `The ${shown} longest of ${count.toLocaleString('en')} ${what}s.`;
  return `${count} ${what}${count === 1 ? '' : 's'}.`;
}

function chooseCall(app, index) {
  app.state.set({ call: index === null ? '' : String(index), zoom: '', at: '' });
}

PARTS.push({
  decode(profile, raw) {
    const [requests, calls] = [raw.requests || [], raw.calls || []];
    profile.calls = [...requests, ...calls].map((call) => new SlowCall(profile, call));
    profile.slowTitle = [calls.length > 0 && 'calls', requests.length > 0 && 'requests'].filter(Boolean).join(' and ');
    const ofRequests = requests.filter((request, index) => index > 0 || requests.length === 1).length;
    profile.callsNote = [
      countText(raw.callCount || 0, calls.length, 'recorded call'), raw.callsNote,
      countText(raw.requestCount || 0, ofRequests, 'request'), raw.requestsNote,
    ].filter(Boolean).join(' ');
  },
  read(app) {
    const [index] = app.state.numbers('call', app.profile.calls.length);
    const call = app.profile.calls[index];
    if (!call) return;
    app.scope = {
      id: index, name: call.label, leave: () => chooseCall(app, null),
      chip: (call.thread === undefined ? 'only ' : 'only the call of ') + call.label,
      fromNs: call.startNs, lengthNs: call.lengthNs ?? call.durationNs, thread: call.thread,
      cells: (kindIndex) => call.cellsOf(kindIndex),
    };
  },
});

PANELS.push({
  side: 'calls', name: 'Slow calls', title: 'Slow calls', key: 's',
  isThere: ({ calls }) => calls.length > 0,
  make: (panel, app) => new CallsPanel(panel, (index) => chooseCall(app, index)),
  show: (panel, { profile, kind, kindIndex, scope }) => panel.show({ profile, kind, kindIndex, chosen: scope ? scope.id : -1 }),
});
