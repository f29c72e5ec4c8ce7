// The edge between the graph and the panel beside it. It is dragged or moved by arrow keys.

const SIDE_PERCENT = { least: 15, most: 85, step: 4 };

class Splitter {
  // `choose(percent)` is called with the new width of the panel.
  constructor(edge, choose) {
    this.edge = edge;
    this.choose = choose;
    edge.addEventListener('pointerdown', (event) => {
      edge.setPointerCapture(event.pointerId);
      event.preventDefault();
      edge.focus();
    });
    edge.addEventListener('pointermove', (event) => {
      if (!edge.hasPointerCapture(event.pointerId)) return;
      const box = edge.parentElement.getBoundingClientRect();
      this.#set(100 * (box.right - event.clientX) / box.width);
    });
    edge.addEventListener('keydown', (event) => {
      const step = { ArrowLeft: 1, ArrowRight: -1 }[event.key];
      if (step === undefined) return;
      this.#set(this.percent + step * SIDE_PERCENT.step);
      event.preventDefault();
      event.stopPropagation();
    });
  }

  show(percent) {
    this.percent = percent;
    this.edge.parentElement.style.setProperty('--side', percent + '%');
    this.edge.setAttribute('aria-valuenow', percent);
  }

  #set(percent) {
    this.choose(Math.round(Math.min(Math.max(percent, SIDE_PERCENT.least), SIDE_PERCENT.most)));
  }
}
