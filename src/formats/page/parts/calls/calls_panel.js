// The panel of slow requests and of slow calls to traced methods, the longest first. If a request
// or a call is chosen, the graph shows only its samples.

const CALL_ROW_PX = 22;

class CallsPanel {
  // `choose(index)` is called to show only the samples of a call, or with null to show all samples.
  constructor(panel, choose) {
    this.title = panel.querySelector('h2');
    this.note = panel.querySelector('.note');
    this.kindName = panel.querySelector('.head .kind');
    this.list = new RowWindow(panel.querySelector('.rows'), {
      rowPx: CALL_ROW_PX,
      make: (index) => this.#row(index),
      choose: (index) => choose(index === this.shown.chosen ? null : index),
      onKey: (key) => {
        if (key !== 'Escape') return false;
        choose(null);
        return true;
      },
    });
  }

  // `shown` is { profile, kind, kindIndex, chosen }, where `chosen` is an index or -1.
  show(shown) {
    this.shown = shown;
    const { calls, callsNote, slowTitle } = shown.profile;
    this.title.textContent = `Slow ${slowTitle}`;
    this.kindName.textContent = shown.kind.name;
    this.note.textContent = callsNote;
    this.list.show(calls.length, shown.chosen);
  }

  #row(index) {
    const { profile, kind, kindIndex } = this.shown;
    const call = profile.calls[index];
    const row = document.createElement('div');
    row.className = 'row';
    const name = document.createElement('span');
    name.className = 'method';
    const thread = document.createElement('span');
    const threadName = call.thread === undefined ? '' : profile.threads[call.thread];
    thread.textContent = (threadName && ` · ${threadName}`) + (call.exception ? ' · exception' : '');
    name.append(call.method, thread);
    name.title = [call.method, threadName].filter(Boolean).join('\n')
      + `\n${(call.startNs / 1e9).toFixed(6)} s after the begin`
      + (call.exception ? '\nended by an exception' : '');
    row.append(
      cellOf('gridcell', 'number', inUnits(call.durationNs, TIME_UNITS)),
      cellOf('gridcell', 'number sum', shortWeight(kind, call.weightOf(kindIndex))),
      cellOf('gridcell', 'name', name));
    return row;
  }
}
