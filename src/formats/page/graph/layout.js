// The boxes to draw, in rows. The first rows have one box each: the path from the root to the
// zoomed box. The rows after them have the boxes below the zoomed box that are at least as wide as
// a hairline. Positions are fractions of the width.

const HAIR_PX = 0.35;

class Layout {
  constructor(tree, zoom, widthPx) {
    this.tree = tree;
    this.rows = []; // { refs, left, right } by depth
    this.zoom = zoom;
    const path = [zoom];
    while (path[0] !== 0) path.unshift(tree.parent(path[0]));
    for (const ref of path) this.rows.push({ refs: [ref], left: [0], right: [1] });
    this.zoomDepth = path.length - 1;
    const total = tree.total(zoom);
    const hair = HAIR_PX / Math.max(widthPx, 1);
    while (total > 0) {
      const row = this.#rowBelow(this.rows[this.rows.length - 1], total, hair);
      if (row.refs.length === 0) break;
      this.rows.push(row);
    }
  }

  #rowBelow(above, total, hair) {
    const row = { refs: [], left: [], right: [] };
    for (let i = 0; i < above.refs.length; i++) {
      let left = above.left[i];
      if (this.tree.total(above.refs[i]) / total < hair) continue;
      for (const child of this.tree.children(above.refs[i])) {
        const width = this.tree.total(child) / total;
        if (width >= hair) {
          row.refs.push(child);
          row.left.push(left);
          row.right.push(left + width);
        }
        left += width;
      }
    }
    return row;
  }

  // Returns the box { depth, index, ref } in the row `depth` at `x`, a fraction of the width.
  // Returns null if there is no box.
  at(depth, x) {
    const row = this.rows[depth];
    if (!row) return null;
    let low = 0;
    let high = row.refs.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (row.left[middle] <= x) low = middle;
      else high = middle - 1;
    }
    return row.left[low] <= x && x < row.right[low] ? this.box(depth, low) : null;
  }

  box(depth, index) {
    return { depth, index, ref: this.rows[depth].refs[index] };
  }

  find(ref) {
    for (let depth = 0; depth < this.rows.length; depth++) {
      const index = this.rows[depth].refs.indexOf(ref);
      if (index >= 0) return this.box(depth, index);
    }
    return null;
  }

  parentOf(box) {
    const ref = this.tree.parent(box.ref);
    const index = box.depth > 0 ? this.rows[box.depth - 1].refs.indexOf(ref) : -1;
    return index < 0 ? null : this.box(box.depth - 1, index);
  }

  childOf(box) {
    const row = this.rows[box.depth + 1];
    if (!row) return null;
    let best = -1;
    for (let i = 0; i < row.refs.length; i++) {
      const wider = best < 0 || row.right[i] - row.left[i] > row.right[best] - row.left[best];
      if (this.tree.parent(row.refs[i]) === box.ref && wider) best = i;
    }
    return best < 0 ? null : this.box(box.depth + 1, best);
  }

  besideOf(box, step) {
    const index = box.index + step;
    return index >= 0 && index < this.rows[box.depth].refs.length
      ? this.box(box.depth, index) : null;
  }

  // Returns the matching boxes that have no matching box among their ancestors, row by row and from
  // left to right.
  outermost(matches) {
    const found = [];
    let covered = new Set();
    this.rows.forEach((row, depth) => {
      const next = new Set();
      row.refs.forEach((ref, index) => {
        if (depth > 0 && covered.has(this.tree.parent(ref))) {
          next.add(ref);
        } else if (ref !== 0 && matches[this.tree.frame(ref)]) {
          next.add(ref);
          found.push(this.box(depth, index));
        }
      });
      covered = next;
    });
    return found;
  }
}
