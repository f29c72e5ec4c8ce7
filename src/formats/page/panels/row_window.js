// A long list. Only its visible rows are in the document. One row is active, which means that
// screen readers see it as the active descendant of the list. Arrow keys make another row active.

const SPARE_ROWS = 8; // rows above and below the visible ones

class RowWindow {
  // `make(index)` returns the element of a row. `choose(index)` is called when the user activates a
  // row. `onKey(key, index)` handles all keys that do not change the active row, and returns true
  // if it did something. `scroller` contains a head and `.window`.
  constructor(scroller, { rowPx, make, choose, onKey }) {
    Object.assign(this, { scroller, rowPx, make, choose, onKey });
    this.window = scroller.querySelector('.window');
    this.count = 0;
    this.active = -1;
    scroller.addEventListener('scroll', () => this.#draw());
    scroller.addEventListener('keydown', (event) => this.#onKeyDown(event));
    this.window.addEventListener('click', (event) => {
      const row = event.target.closest('[data-row]');
      if (row) this.choose(Number(row.dataset.row), event);
    });
    new ResizeObserver(() => this.#draw()).observe(scroller);
  }

  // Shows new rows. `active` is the index of the active row, or -1.
  show(count, active = -1) {
    this.count = count;
    this.active = active < count ? active : -1;
    this.window.style.height = count * this.rowPx + 'px';
    this.scroller.setAttribute('aria-rowcount', count);
    this.#draw();
  }

  reveal(index) {
    const { scroller, rowPx } = this;
    const head = this.window.offsetTop;
    const top = index * rowPx;
    const room = scroller.clientHeight - head - rowPx;
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    if (top > scroller.scrollTop + room) scroller.scrollTop = top - Math.max(room, 0);
    this.#draw();
  }

  get rowsVisible() {
    return Math.max(Math.floor((this.scroller.clientHeight - this.window.offsetTop) / this.rowPx), 1);
  }

  #onKeyDown(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.count === 0) return;
    const last = this.count - 1;
    const next = {
      ArrowDown: this.active + 1, ArrowUp: this.active - 1, Home: 0, End: last,
      PageDown: this.active + this.rowsVisible, PageUp: this.active - this.rowsVisible,
    }[event.key];
    if (next === undefined) {
      if (!this.onKey || !this.onKey(event.key, this.active)) return;
    } else {
      this.choose(Math.min(Math.max(next, 0), last), event);
    }
    event.preventDefault();
    event.stopPropagation();
  }

  #draw() {
    const { scroller, rowPx } = this;
    const above = Math.floor((scroller.scrollTop - this.window.offsetTop) / rowPx) - SPARE_ROWS;
    const first = Math.max(above, 0);
    const end = Math.min(above + this.rowsVisible + 3 * SPARE_ROWS, this.count);
    const rows = [];
    for (let index = first; index < end; index++) rows.push(this.#place(index));
    if (this.active >= 0 && (this.active < first || this.active >= end)) rows.push(this.#place(this.active));
    this.window.replaceChildren(...rows);
    if (this.active < 0) scroller.removeAttribute('aria-activedescendant');
    else scroller.setAttribute('aria-activedescendant', this.#idOf(this.active));
  }

  #idOf(index) { return `${this.scroller.id}-${index}`; }

  #place(index) {
    const row = this.make(index);
    row.id = this.#idOf(index);
    row.dataset.row = index;
    row.setAttribute('role', 'row');
    row.setAttribute('aria-rowindex', index + 1);
    row.setAttribute('aria-selected', String(index === this.active));
    row.style.transform = `translateY(${index * this.rowPx}px)`;
    return row;
  }
}

// Makes a cell of a row. `content` is a list of texts and elements.
function cellOf(role, className, ...content) {
  const cell = document.createElement('span');
  cell.setAttribute('role', role);
  cell.className = className;
  cell.append(...content);
  return cell;
}

// Makes a cell with a share of the whole, as a text on a bar.
function shareCell(part, whole) {
  const cell = cellOf('gridcell', 'number share', share(part, whole));
  cell.style.setProperty('--bar', (100 * part / (whole || 1)).toFixed(2) + '%');
  return cell;
}

// Makes an element with a method's name after its owner.
function methodName(profile, method) {
  const name = document.createElement('span');
  name.className = 'method';
  const owner = document.createElement('span');
  owner.textContent = profile.ownerPrefix(method);
  name.append(owner, profile.names[method]);
  name.title = [profile.nameOf(method), profile.explanationOf(method)].filter(Boolean).join('\n');
  return name;
}
