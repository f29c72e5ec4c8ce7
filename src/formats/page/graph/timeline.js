// The weight of the selected samples over time. A drag selects an interval.

const CLICK_PX = 4; // a shorter drag is a click, which selects everything

class Timeline {
  // `choose(from, to)` is called with the first and the last slice, or with null and null for all.
  constructor(element, choose) {
    this.element = element;
    this.canvas = element.querySelector('canvas');
    this.label = element.querySelector('output');
    this.choose = choose;
    this.dragFrom = null;
    element.addEventListener('pointerdown', (event) => {
      this.dragFrom = this.#sliceAt(event);
      this.pressedAt = event.clientX;
      element.setPointerCapture(event.pointerId);
    });
    element.addEventListener('pointermove', (event) => {
      if (this.dragFrom === null) return;
      const to = this.#sliceAt(event);
      this.#paint(Math.min(this.dragFrom, to), Math.max(this.dragFrom, to));
    });
    element.addEventListener('pointerup', (event) => {
      if (this.dragFrom === null) return;
      const to = this.#sliceAt(event);
      const from = this.dragFrom;
      this.dragFrom = null;
      if (Math.abs(event.clientX - this.pressedAt) < CLICK_PX) choose(null, null);
      else choose(Math.min(from, to), Math.max(from, to));
    });
    element.addEventListener('keydown', (event) => this.#onKey(event));
  }

  // `shown` is { bySlice, sliceMs, from, to, colours: { inside, outside, veil, edge } }.
  show(shown) {
    this.shown = shown;
    this.element.hidden = shown.bySlice.length < 2;
    if (!this.element.hidden) this.#paint(shown.from, shown.to);
  }

  #sliceAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const count = this.shown.bySlice.length;
    const slice = Math.floor((event.clientX - box.left) / box.width * count);
    return Math.min(Math.max(slice, 0), count - 1);
  }

  #onKey(event) {
    const { from, to, bySlice } = this.shown;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const last = bySlice.length - 1;
    if (event.key === 'Escape') this.choose(null, null);
    if (step === undefined && event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    if (step === undefined) return;
    if (event.shiftKey) this.choose(from, Math.min(Math.max(to + step, from), last));
    else if (from + step >= 0 && to + step <= last) this.choose(from + step, to + step);
    else if (from === 0 && to === last) this.choose(step > 0 ? 1 : 0, step > 0 ? last : last - 1);
  }

  #paint(from, to) {
    const { bySlice, sliceMs, colours } = this.shown;
    const ratio = devicePixelRatio || 1;
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const context = this.canvas.getContext('2d');
    context.scale(ratio, ratio);
    const most = Math.max(...bySlice, 1);
    const step = width / bySlice.length;
    bySlice.forEach((weight, i) => {
      const bar = weight === 0 ? 0 : Math.max(weight / most * (height - 3), 1.5);
      context.fillStyle = i >= from && i <= to ? colours.inside : colours.outside;
      context.fillRect(i * step, height - bar, Math.max(step - (step > 3 ? 1 : 0), 0.6), bar);
    });
    const whole = from === 0 && to === bySlice.length - 1;
    if (!whole) {
      context.fillStyle = colours.veil;
      context.fillRect(0, 0, from * step, height);
      context.fillRect((to + 1) * step, 0, width, height);
      context.fillStyle = colours.edge;
      context.fillRect(from * step - 1, 0, 1.5, height);
      context.fillRect((to + 1) * step, 0, 1.5, height);
    }
    const seconds = (slice) => (slice * sliceMs / 1000).toFixed(sliceMs < 100 ? 2 : 1);
    const text = `${seconds(from)} s to ${seconds(to + 1)} s`;
    this.label.textContent = whole ? '' : text;
    this.element.setAttribute('aria-valuetext', whole ? 'the whole recording' : text);
    this.element.setAttribute('aria-valuenow', from);
    this.element.setAttribute('aria-valuemax', bySlice.length - 1);
  }
}
