// The graph is drawn on a canvas that is as large as the visible part of the graph. An empty
// element as high as the whole graph lies under the canvas and scrolls. Only visible boxes are
// drawn. This script knows the layout, names and colours, but not the profile.

const ROW_PX = 20;
const TEXT_MIN_PX = 22;
const FONT = '11.5px ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';
const FONT_STRONG = FONT.replace('11.5px', '600 11.5px');

class GraphView {
  // `source` has layout(), nameOf(ref) -> [owner, name], fill(ref, depth) -> { fill, ink },
  // flipped(), marks(hovered) -> [box, colour] pairs to outline.
  constructor(scroller, source) {
    this.scroller = scroller;
    this.source = source;
    this.canvas = scroller.querySelector('canvas');
    this.spacer = scroller.querySelector('.spacer');
    this.context = this.canvas.getContext('2d');
    this.hovered = null;
    this.pending = false;
    this.charWidths = { normal: new Map(), strong: new Map() };
    scroller.addEventListener('scroll', () => this.redraw());
  }

  get width() { return this.scroller.clientWidth; }
  get height() { return this.scroller.clientHeight; }

  // Adapts the size of the canvas after the layout or the window has changed.
  resize() {
    const fromEnd = (this.contentHeight || 0) - (this.lastHeight || 0) - this.scroller.scrollTop;
    const ratio = devicePixelRatio || 1;
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    this.canvas.style.width = this.width + 'px';
    this.canvas.style.height = this.height + 'px';
    const rows = this.source.layout().rows.length;
    this.contentHeight = Math.max(rows * ROW_PX + 8, this.height);
    this.spacer.style.height = this.contentHeight - this.height + 'px';
    this.lastHeight = this.height;
    // If the root is at the bottom, visible boxes keep their distance from the bottom.
    if (this.source.flipped()) {
      this.scroller.scrollTop = this.contentHeight - this.height - Math.max(fromEnd, 0);
    }
    this.redraw();
  }

  redraw() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.draw();
    });
  }

  topOf(depth) {
    return this.source.flipped() ? this.contentHeight - 4 - (depth + 1) * ROW_PX : 4 + depth * ROW_PX;
  }

  boxAt(x, y) {
    const inContent = y + this.scroller.scrollTop;
    const depth = this.source.flipped()
      ? Math.floor((this.contentHeight - 4 - inContent) / ROW_PX)
      : Math.floor((inContent - 4) / ROW_PX);
    return this.source.layout().at(depth, x / this.width);
  }

  // Returns the place of a box, in pixels of the scroller.
  rectOf(box) {
    const row = this.source.layout().rows[box.depth];
    const left = row.left[box.index] * this.width;
    return {
      left, top: this.topOf(box.depth) - this.scroller.scrollTop,
      width: row.right[box.index] * this.width - left, height: ROW_PX,
    };
  }

  scrollTo(box) {
    const top = this.topOf(box.depth);
    const seen = this.scroller.scrollTop;
    if (top < seen + ROW_PX) this.scroller.scrollTop = top - ROW_PX * 2;
    if (top > seen + this.height - ROW_PX * 2) this.scroller.scrollTop = top - this.height + ROW_PX * 3;
  }

  scrollToRoot() {
    this.scroller.scrollTop = this.source.flipped() ? this.contentHeight : 0;
  }

  draw() {
    const { context, source } = this;
    const layout = source.layout();
    const ratio = devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    context.textBaseline = 'middle';
    const first = source.flipped()
      ? Math.floor((this.contentHeight - this.scroller.scrollTop - this.height) / ROW_PX) - 1
      : Math.floor(this.scroller.scrollTop / ROW_PX) - 1;
    const last = first + Math.ceil(this.height / ROW_PX) + 3;
    for (let depth = Math.max(first, 0); depth < Math.min(last, layout.rows.length); depth++) {
      this.#drawRow(layout.rows[depth], depth);
    }
    for (const [box, colour] of source.marks(this.hovered)) this.#outline(box, colour);
  }

  #drawRow(row, depth) {
    const top = this.topOf(depth) - this.scroller.scrollTop;
    const { context } = this;
    for (let i = 0; i < row.refs.length; i++) {
      const left = row.left[i] * this.width;
      const width = row.right[i] * this.width - left;
      const colour = this.source.fill(row.refs[i], depth);
      context.fillStyle = colour.fill;
      const gap = width > 3 ? 1 : 0;
      if (width > 14) {
        context.beginPath();
        context.roundRect(left, top, width - gap, ROW_PX - 1, 2.5);
        context.fill();
      } else {
        context.fillRect(left, top, Math.max(width - gap, 0.5), ROW_PX - 1);
      }
      if (width >= TEXT_MIN_PX) this.#drawText(row.refs[i], left, top, width, colour.ink);
    }
  }

  // Draws as much of the name as fits into the box. Shortens the owner first and then the method:
  // "java.util.HashMap.get", "HashMap.get", "get", "ge…".
  #drawText(ref, left, top, width, ink) {
    const { context } = this;
    const room = width - 11;
    const start = Math.max(left, 0) + 5;
    const y = top + ROW_PX / 2;
    const [owner, name] = this.source.nameOf(ref);
    const nameWidth = this.#textWidth(name, 'strong');
    let prefix = owner;
    if (prefix.endsWith('.') && nameWidth + this.#textWidth(prefix, 'normal') > room) {
      prefix = prefix.slice(prefix.lastIndexOf('.', prefix.length - 2) + 1);
    }
    if (nameWidth + this.#textWidth(prefix, 'normal') > room) prefix = '';
    context.fillStyle = ink;
    let at = start;
    if (prefix) {
      context.globalAlpha = 0.66;
      context.font = FONT;
      context.fillText(prefix, at, y);
      context.globalAlpha = 1;
      at += this.#textWidth(prefix, 'normal');
    }
    context.font = FONT_STRONG;
    const text = nameWidth <= room ? name : this.#cut(name, room);
    if (text) context.fillText(text, at, y);
  }

  #cut(name, room) {
    let used = this.#textWidth('…', 'strong');
    let count = 0;
    for (const char of name) {
      used += this.#charWidth(char, 'strong');
      if (used > room) break;
      count += char.length;
    }
    return count > 0 ? name.slice(0, count) + '…' : '';
  }

  #charWidth(char, weight) {
    const known = this.charWidths[weight].get(char);
    if (known !== undefined) return known;
    this.context.font = weight === 'strong' ? FONT_STRONG : FONT;
    const width = this.context.measureText(char).width;
    this.charWidths[weight].set(char, width);
    return width;
  }

  #textWidth(text, weight) {
    let width = 0;
    for (const char of text) width += this.#charWidth(char, weight);
    return width;
  }

  #outline(box, colour) {
    const rect = this.rectOf(box);
    if (rect.top < -ROW_PX || rect.top > this.height) return;
    this.context.strokeStyle = colour;
    this.context.lineWidth = 2;
    this.context.strokeRect(rect.left + 0.5, rect.top, Math.max(rect.width - 2, 2), ROW_PX - 1.5);
  }
}
