// A slow call of a traced method, with the samples that its thread has in it.

class Call {
  // `raw`: method, thread, startNs, durationNs, exception, cells (by kind).
  constructor(raw) {
    Object.assign(this, raw, { cellsOfKinds: [] });
  }

  // The cells of a kind, decoded when they are first wanted.
  decoded(kindIndex, decode) {
    this.cellsOfKinds[kindIndex] ??= decode(this.cells[kindIndex] || '');
    return this.cellsOfKinds[kindIndex];
  }
}
