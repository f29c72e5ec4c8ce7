// The panel that shows the weights of a method's lines. If the page has the text of the source file
// of the method, the panel shows the file, with the weights of all methods in the file. Otherwise
// it shows a table of the lines of the method that have samples.

const LINE_ROW_PX = 20;

class SourcePanel {
  constructor(panel) {
    this.panel = panel;
    this.rows = []; // { line, text, isOwn, self, total }
    this.list = new RowWindow(panel.querySelector('.rows'), {
      rowPx: LINE_ROW_PX,
      make: (index) => this.#row(index),
      choose: (index) => {
        this.list.show(this.rows.length, index);
        this.list.reveal(index);
      },
      onKey: (key, index) => this.#onKey(key, index),
    });
  }

  // `shown` is { profile, selection, method, kind, whole }, where `method` is -1 for none.
  show(shown) {
    const isOther = !this.shown || this.shown.method !== shown.method;
    this.shown = shown;
    const { profile, method } = shown;
    this.source = method < 0 ? null : profile.sources.of(method);
    this.panel.querySelector('.title').replaceChildren(method < 0 ? 'No method' : methodName(profile, method));
    const { self, total } = method < 0 ? { self: [], total: [] } : shown.selection.methods();
    this.panel.querySelector('.sums').textContent = method < 0 ? ''
      : `self ${share(self[method], shown.whole)}, total ${share(total[method], shown.whole)}`;
    this.#fill();
    this.#showFile();
    const heaviest = this.#heaviest();
    this.list.show(this.rows.length, isOther ? heaviest : this.list.active);
    if (isOther && heaviest >= 0) {
      this.list.reveal(Math.min(heaviest + 6, this.rows.length - 1));
      this.list.reveal(Math.max(heaviest - 6, 0));
    }
  }

  #fill() {
    const { profile, selection, method } = this.shown;
    this.rows = [];
    if (method < 0 || !profile.lines) return;
    const none = { self: 0, total: 0 };
    const own = profile.lines.weights(selection, (other) => other === method);
    if (this.source && this.source.text) {
      const all = profile.lines.weights(selection, (other) => profile.sources.of(other) === this.source);
      this.rows = this.source.text.split('\n').map((text, i) => (
        { line: i + 1, text, isOwn: own.has(i + 1), ...(all.get(i + 1) || none) }));
      return;
    }
    const lines = [...own.keys()].sort((a, b) => a - b);
    this.rows = lines.map((line) => ({ line, text: '', isOwn: false, ...own.get(line) }));
  }

  #showFile() {
    const { profile, method } = this.shown;
    const file = this.panel.querySelector('.file');
    file.textContent = this.source ? this.source.name : '';
    const link = this.panel.querySelector('.editor');
    const row = this.rows[this.#heaviest()];
    const address = row ? profile.sources.editorAddress(method, row.line) : null;
    link.hidden = !address;
    if (address) link.href = address;
    const hasText = this.source && this.source.text;
    this.panel.querySelector('.note').textContent = method < 0 || this.rows.length === 0
      ? profile.linesNote || 'No line numbers are known here.' : hasText
        ? 'Weights of all methods of this file; lines of this method are marked.'
        : profile.sources.note || 'The page has no source of this method: convert with --source.';
  }

  // Returns the index of the row of the method with the most weight.
  #heaviest() {
    let best = -1;
    this.rows.forEach((row, i) => {
      const counts = row.isOwn || !this.source || !this.source.text;
      if (!counts || row.total === 0) return;
      const { self = -1, total = -1 } = this.rows[best] || {};
      if (row.self > self || row.self === self && row.total > total) best = i;
    });
    return best;
  }

  #onKey(key, index) {
    if (key !== 'Enter' || index < 0) return false;
    const address = this.shown.profile.sources.editorAddress(this.shown.method, this.rows[index].line);
    if (address) openAddress(address);
    return true;
  }

  #row(index) {
    const { profile, method, kind, whole } = this.shown;
    const { line, text, isOwn, self, total } = this.rows[index];
    const row = document.createElement('div');
    row.className = isOwn ? 'row own' : 'row';
    const weights = total === 0 ? ['', '', '', ''].map((empty) => cellOf('gridcell', 'number', empty))
      : [shareCell(total, whole), cellOf('gridcell', 'number weight', shortWeight(kind, total)),
        shareCell(self, whole), cellOf('gridcell', 'number weight', shortWeight(kind, self))];
    if (total === 0) [1, 3].forEach((i) => weights[i].classList.add('weight'));
    const address = line === 0 ? null : profile.sources.editorAddress(method, line);
    let number = line === 0 ? 'unknown' : String(line);
    if (address) {
      number = document.createElement('a');
      number.href = address;
      number.tabIndex = -1;
      number.textContent = line;
      number.title = 'Open in the editor (Enter)';
    }
    row.append(...weights, cellOf('gridcell', 'line', number), cellOf('gridcell', 'code', text));
    return row;
  }
}

function openAddress(address) {
  const link = document.createElement('a');
  link.href = address;
  link.click();
}
