// The view that shows events in place of the graph. It has a list of event types, and a table with
// the events of one type, which the user can sort and search.

const EVENT_ROW_PX = 22;
const COLUMN_CHARS = { least: 7, most: 48 };
const MEASURED_ROWS = 200;
const CHAR_PX = 7.5;

class EventTable {
  // `choose({ type, sort, text })` is called with the changed members.
  constructor(panel, types, choose) {
    Object.assign(this, { panel, types, choose });
    this.nav = panel.querySelector('nav');
    this.head = panel.querySelector('.head');
    this.search = panel.querySelector('input');
    this.note = panel.querySelector('.note');
    this.detail = panel.querySelector('.detail');
    this.rows = [];
    this.list = new RowWindow(panel.querySelector('.rows'), {
      rowPx: EVENT_ROW_PX,
      make: (index) => this.#row(index),
      choose: (index) => {
        this.list.show(this.rows.length, index);
        this.#showDetail(index);
        this.list.reveal(index);
      },
    });
    this.nav.replaceChildren(...types.map((type, i) => this.#typeButton(type, i)));
    this.nav.addEventListener('keydown', (event) => this.#onNavKey(event));
    let timer = 0;
    this.search.addEventListener('input', () => {
      clearTimeout(timer);
      timer = setTimeout(() => choose({ text: this.search.value }), 80);
    });
    this.head.addEventListener('click', (event) => {
      const cell = event.target.closest('[data-column]');
      if (cell) this.#sortBy(Number(cell.dataset.column));
    });
  }

  // `shown` is { type, sort, text, within, note }. `type` is the name of a type. `sort` is the
  // number of a column: "3", or "-3" for descending order. `within` is as in EventType.rows.
  show(shown) {
    const before = this.shown;
    this.shown = shown;
    const at = Math.max(this.types.findIndex((type) => type.name === shown.type), 0);
    this.type = this.types[at];
    [...this.nav.children].forEach((button, i) => {
      button.setAttribute('aria-current', String(i === at));
      button.tabIndex = i === at ? 0 : -1;
    });
    if (this.search.value !== shown.text) this.search.value = shown.text;
    const same = before && ['type', 'sort', 'text', 'within'].every((key) => before[key] === shown[key]);
    if (same) return;
    this.descending = shown.sort.startsWith('-');
    this.column = shown.sort === '' ? -1 : Math.abs(parseInt(shown.sort, 10));
    this.rows = this.type.rows(shown.text, this.column, this.descending, shown.within);
    this.#showHead();
    const first = this.rows.length > 0 && this.#hasLines() ? 0 : -1;
    this.list.show(this.rows.length, first);
    this.#showDetail(first);
    this.list.scroller.scrollTop = 0;
    const { count, rowCount } = this.type;
    const parts = [this.rows.length === rowCount ? `${counted(rowCount)} events`
      : `${counted(this.rows.length)} of ${counted(rowCount)} events match`];
    if (rowCount < count) parts.push(`the recording has ${counted(count)}; the page holds the first`);
    if (shown.note) parts.push(shown.note);
    this.note.textContent = parts.join(' · ');
  }

  #typeButton(type, i) {
    const button = document.createElement('button');
    button.dataset.type = i;
    button.title = type.name;
    const count = document.createElement('small');
    count.textContent = counted(type.count);
    const name = document.createElement('span');
    name.textContent = type.label || type.name;
    button.append(name, count);
    button.addEventListener('click', () => this.choose({ type: type.name, sort: '', text: '' }));
    return button;
  }

  #onNavKey(event) {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (step === undefined) return;
    const next = (this.types.indexOf(this.type) + step + this.types.length) % this.types.length;
    this.choose({ type: this.types[next].name, sort: '', text: '' });
    this.nav.children[next].focus();
    event.preventDefault();
    event.stopPropagation();
  }

  // Sorts the rows by a column. Numbers are in descending order, times and texts in ascending
  // order. A second click on the column reverses the order.
  #sortBy(column) {
    const first = this.type.columns[column].isNumber && this.type.columns[column].unit !== 'time';
    const descending = column === this.column ? !this.descending : first;
    this.choose({ sort: (descending ? '-' : '') + column });
  }

  #showHead() {
    const { columns } = this.type;
    const widths = columns.map((column) => this.#widthOf(column));
    this.panel.style.setProperty('--columns', widths.map((px) => px + 'px').join(' '));
    this.head.replaceChildren(...columns.map((column, i) => {
      const button = document.createElement('button');
      button.textContent = column.label || column.name;
      button.title = column.name;
      const cell = cellOf('columnheader', column.isNumber ? 'number' : 'text', button);
      cell.dataset.column = i;
      const order = this.descending ? 'descending' : 'ascending';
      cell.setAttribute('aria-sort', i === this.column ? order : 'none');
      return cell;
    }));
  }

  #widthOf(column) {
    let chars = (column.label || column.name).length + 2;
    const step = Math.max(Math.floor(column.values.length / MEASURED_ROWS), 1);
    for (let row = 0; row < column.values.length; row += step) {
      chars = Math.max(chars, valueText(column, column.values[row]).length);
    }
    return Math.min(Math.max(chars, COLUMN_CHARS.least), COLUMN_CHARS.most) * CHAR_PX + 20;
  }

  // True if a value of the type has several lines, such as a stack.
  #hasLines() {
    return this.type.columns.some(({ values }) => values.some((value) => hasLines(value)));
  }

  // Shows the values of a row that have several lines below the table. `index` is -1 for no row.
  #showDetail(index) {
    const row = this.rows[index];
    const shown = index < 0 ? [] : this.type.columns.filter(({ values }) => hasLines(values[row]));
    this.detail.hidden = shown.length === 0;
    this.detail.replaceChildren(...shown.map(({ name, label, values }) => {
      const figure = document.createElement('figure');
      const title = document.createElement('figcaption');
      title.textContent = label || name;
      const text = document.createElement('pre');
      text.textContent = values[row];
      figure.append(title, text);
      return figure;
    }));
  }

  #row(index) {
    const row = document.createElement('div');
    row.className = 'row';
    row.append(...this.type.columns.map((column) => {
      const text = valueText(column, column.values[this.rows[index]]);
      const cell = cellOf('gridcell', column.isNumber ? 'number' : 'text', text);
      cell.title = text;
      return cell;
    }));
    return row;
  }
}

function hasLines(value) { return typeof value === 'string' && value.includes('\n'); }

function counted(number) { return number.toLocaleString('en'); }
