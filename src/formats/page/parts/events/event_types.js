// The events of the recording, by type: columns of numbers or texts, decoded when they are shown.

class EventType {
  // `raw` is { name, label, count, fields }. A field is { name, label, unit } with either numbers,
  // or texts and indices.
  constructor(raw) {
    Object.assign(this, { name: raw.name, label: raw.label, count: raw.count, raw });
  }

  // Returns the columns { name, label, unit, isNumber, values }. `values` has a number, a text or
  // null (no value) for each row.
  get columns() {
    if (!this.decoded) this.decoded = this.raw.fields.map((field) => this.#column(field));
    return this.decoded;
  }

  get rowCount() { return this.columns.length > 0 ? this.columns[0].values.length : 0; }

  // Returns the rows of chosen threads within an interval of time. An event without a thread
  // belongs to all threads, and a row without a time to all times. An event with a duration counts
  // if a part of it is within the interval.
  #rowsWithin({ fromNs, toNs, threads }) {
    const valuesOf = (name) => (this.columns.find((each) => each.name === name) || { values: [] }).values;
    const [times, durations, names] = ['startTime', 'duration', 'eventThread'].map(valuesOf);
    return [...Array(this.rowCount).keys()].filter((row) => {
      const end = times[row] + (durations[row] || 0);
      const inSpan = !(times[row] >= toNs || end <= fromNs && times[row] < fromNs);
      return inSpan && (!threads || !names[row] || threads.has(names[row]));
    });
  }

  #column({ name, label, unit, scale = 1, numbers, texts, indices }) {
    const values = [];
    const encoded = numbersOf(numbers === undefined ? indices : numbers);
    while (encoded.more()) {
      const number = encoded.next(); // 0 if there is no value
      if (number === 0) values.push(null);
      else if (numbers === undefined) values.push(texts[number - 1]);
      else values.push(((number - 1) % 2 ? -number / 2 : (number - 1) / 2) * scale);
    }
    return { name, label, unit, isNumber: numbers !== undefined, values };
  }

  // Returns the numbers of the rows within `within` whose texts match `wanted`, in the order of a
  // column. `within` is { fromNs, toNs, threads }, with times from the start of the recording.
  // `threads` is null for all threads.
  rows(wanted, column, descending, within) {
    const { columns } = this;
    let rows = this.#rowsWithin(within);
    if (wanted) {
      const { pattern } = searchPattern(wanted);
      rows = rows.filter((row) => columns.some((each) => pattern.test(valueText(each, each.values[row]))));
    }
    const sorted = columns[column];
    if (!sorted) return rows;
    const compare = sorted.isNumber ? (a, b) => a - b : (a, b) => (a < b ? -1 : a > b ? 1 : 0);
    const sign = descending ? -1 : 1;
    // Rows without a value come last in both orders.
    return rows.sort((a, b) => {
      const [x, y] = [sorted.values[a], sorted.values[b]];
      if (x === null || y === null) return (x === null) - (y === null) || a - b;
      return sign * compare(x, y) || a - b;
    });
  }
}

// Returns a value as a text for the user. Times are nanoseconds from the start of the recording.
function valueText({ unit }, value) {
  if (value === null) return '';
  const sign = value < 0 ? '−' : '';
  switch (unit) {
    case 'time': return (value / 1e9).toFixed(6) + ' s';
    case 'ns': return sign + inUnits(Math.abs(value), TIME_UNITS);
    case 'bytes': return sign + inUnits(Math.abs(value), SIZE_UNITS);
    // Millionths. Small shares have all their digits.
    case 'percent': return (value / 1e4).toFixed(value !== 0 && Math.abs(value) < 100 ? 4 : 2) + ' %';
    case 'number': return value.toLocaleString('en');
    case 'real': return (value / 1e6).toLocaleString('en', { maximumFractionDigits: 6 });
    default: return String(value);
  }
}
