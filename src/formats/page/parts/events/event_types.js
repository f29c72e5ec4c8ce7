// The events of the recording, by type: columns of numbers or texts, decoded when they are shown.

class EventType {
  // `raw`: name, label, count, fields; of a field: name, label, unit, numbers or texts and indices.
  constructor(raw) {
    Object.assign(this, { name: raw.name, label: raw.label, count: raw.count, raw });
  }

  // Of { name, label, unit, isNumber, values }: numbers or texts by row, null where there is none.
  get columns() {
    if (!this.decoded) this.decoded = this.raw.fields.map((field) => this.#column(field));
    return this.decoded;
  }

  get rowCount() { return this.columns.length > 0 ? this.columns[0].values.length : 0; }

  // As a slice: events that name no thread are of all, and those with a duration count if a part of it
  // lies in the span. Rows without a time are of all times.
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
      const number = encoded.next(); // 0: no value
      if (number === 0) values.push(null);
      else if (numbers === undefined) values.push(texts[number - 1]);
      else values.push(((number - 1) % 2 ? -number / 2 : (number - 1) / 2) * scale);
    }
    return { name, label, unit, isNumber: numbers !== undefined, values };
  }

  // The rows that lie in the selection and whose texts hold `wanted`, in the order of a column, as
  // numbers. `within`: { fromNs, toNs, threads }, from the begin of the recording; null: all threads.
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
    // Rows without a value come last, either way.
    return rows.sort((a, b) => {
      const [x, y] = [sorted.values[a], sorted.values[b]];
      if (x === null || y === null) return (x === null) - (y === null) || a - b;
      return sign * compare(x, y) || a - b;
    });
  }
}

// A value as people read it. Times are nanoseconds from the begin of the recording.
function valueText({ unit }, value) {
  if (value === null) return '';
  const sign = value < 0 ? '−' : '';
  switch (unit) {
    case 'time': return (value / 1e9).toFixed(6) + ' s';
    case 'ns': return sign + inUnits(Math.abs(value), TIME_UNITS);
    case 'bytes': return sign + inUnits(Math.abs(value), SIZE_UNITS);
    case 'percent': return (value / 1e4).toFixed(2) + ' %'; // millionths
    case 'number': return value.toLocaleString('en');
    case 'real': return (value / 1e6).toLocaleString('en', { maximumFractionDigits: 6 });
    default: return String(value);
  }
}
