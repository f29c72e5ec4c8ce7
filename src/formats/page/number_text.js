// Numbers, times and sizes as texts for the user.

function inUnits(value, units) {
  for (const [factor, name] of units) {
    if (value >= factor) {
      const scaled = value / factor;
      return scaled.toFixed(scaled < 10 ? 2 : scaled < 100 ? 1 : 0) + ' ' + name;
    }
  }
  return value + ' ' + units[units.length - 1][1];
}

const TIME_UNITS = [[3600e9, 'h'], [60e9, 'min'], [1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];
const SIZE_UNITS = [[2 ** 40, 'TB'], [2 ** 30, 'GB'], [2 ** 20, 'MB'], [2 ** 10, 'kB'], [1, 'bytes']];

// Returns a weight in the unit of its kind: "1,234 samples (12.3 s)", "12.3 s", "4.56 MB".
function weightText(kind, weight) {
  if (kind.unit === 'ns') return inUnits(weight, TIME_UNITS);
  if (kind.unit === 'bytes') return inUnits(weight, SIZE_UNITS);
  const count = weight.toLocaleString('en') + (weight === 1 ? ' sample' : ' samples');
  return kind.intervalNs > 0 ? `${count} (${inUnits(weight * kind.intervalNs, TIME_UNITS)})` : count;
}

// Returns the error of an estimate, such as " ± 3.1 %". The text is empty if the error is unknown.
// `summed` is the sum of the variances of the samples.
function errorText(kind, weight, summed) {
  if (!(summed >= 0 && weight > 0)) return '';
  return ' ± ' + share(Math.sqrt(varianceOf(kind, weight, summed)), weight);
}

// Returns the variance of the sum of some samples of a kind, as SampleKind::VarianceOf does.
function varianceOf({ scaled }, weight, summed) {
  if (!scaled) return summed;
  const part = weight / scaled.weight;
  const variance = (1 - 2 * part) * summed + part ** 2 * scaled.summed;
  return Math.min(Math.max(variance, 0), summed) + part ** 2 * scaled.variance;
}

// Returns the number of threads in a selection as text: "41 threads × 6.00 s" if every thread lived
// all the time. Otherwise the text has the average number of threads: "41 threads, 3.20 at a time".
function threadsText(kind, selection) {
  const count = selection.threadCount;
  const threads = count.toLocaleString('en') + (count === 1 ? ' thread' : ' threads');
  const time = selection.sum * kind.intervalNs;
  const whole = count * selection.lengthNs;
  if (Math.abs(time - whole) <= Math.max(count * kind.intervalNs, 0.05 * whole)) {
    return `${threads} × ${inUnits(time / count, TIME_UNITS)}`;
  }
  const average = selection.lengthNs > 0 ? time / selection.lengthNs : 0;
  return `${threads}, ${average.toPrecision(3)} at a time`;
}

function share(part, whole) {
  const percent = whole > 0 ? 100 * part / whole : 0;
  return percent.toFixed(percent >= 99.95 || percent === 0 ? 0 : percent < 1 ? 2 : 1) + ' %';
}

function sentence(text) {
  return text[0].toUpperCase() + text.slice(1) + '.';
}

// Returns the pattern of the search field. If the text is a valid regular expression, the pattern
// is this expression. Otherwise the pattern finds the text itself. Case matters only if the text
// has capitals.
function searchPattern(text) {
  const flags = /[A-Z]/.test(text) ? '' : 'i';
  try {
    return { pattern: new RegExp(text, flags), literal: false };
  } catch {
    return { pattern: new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), flags), literal: true };
  }
}

// Returns a weight without the word "samples": "12.3 s", "4.56 MB", "1,234".
function shortWeight(kind, weight) {
  if (weight === 0) return '0';
  if (kind.unit === 'samples' && kind.intervalNs > 0) return inUnits(weight * kind.intervalNs, TIME_UNITS);
  return kind.unit === 'samples' ? weight.toLocaleString('en') : weightText(kind, weight);
}

// Returns what the weights of a kind measure: "time", "bytes" or "count".
function measureOf(kind) {
  if (kind.unit === 'bytes') return 'bytes';
  return kind.unit === 'ns' || kind.intervalNs > 0 ? 'time' : 'count';
}

// Returns a moment in the time zone of the browser, in a form that options such as --from accept:
// "2026-11-23T12:00:05+01:00".
function momentText(epochMs) {
  const minutesEast = -new Date(epochMs).getTimezoneOffset();
  const local = new Date(epochMs + minutesEast * 60000).toISOString().slice(0, 19);
  const digits = (number) => String(number).padStart(2, '0');
  const [hours, minutes] = [Math.floor(Math.abs(minutesEast) / 60), Math.abs(minutesEast) % 60];
  return `${local}${minutesEast < 0 ? '-' : '+'}${digits(hours)}:${digits(minutes)}`;
}
