// The call tree next to the graph. It is the tree of the graph, below the same root, as a table
// whose rows open and close. At first, the heaviest path is open. It starts at the root, and goes
// on to the heaviest child as long as this child has at least half of the weight of its parent.

const TREE_ROW_PX = 22;
const FORK_INDENT_PX = 13;
const CHAIN_INDENT_PX = 4; // below a frame with one callee; small, because stacks are deep
const MAX_INDENT_PX = 1200;
const MAX_PATH = 500; // the most frames that open at once

class CallTreePanel {
  // `choose(ref)` is called when a row is selected, and `zoom(ref)` to make a row the root.
  constructor(panel, { choose, zoom }) {
    this.panel = panel;
    this.choose = choose;
    this.zoom = zoom;
    this.open = new Set();
    this.rows = []; // { ref, level, indent }
    this.list = new RowWindow(panel.querySelector('.rows'), {
      rowPx: TREE_ROW_PX,
      make: (index) => this.#row(index),
      choose: (index, event) => {
        if (event.target.closest('.toggle')) this.#toggle(index);
        else choose(this.rows[index].ref);
      },
      onKey: (key, index) => this.#onKey(key, index),
    });
    panel.querySelector('.window').addEventListener('dblclick', (event) => {
      const row = event.target.closest('[data-row]');
      if (row && !event.target.closest('.toggle')) zoom(this.rows[Number(row.dataset.row)].ref);
    });
  }

  // `shown` is { profile, tree, root, kind, whole, matches, chosen, innermost, tone }, where
  // `chosen` is a ref or null.
  show(shown) {
    const before = this.shown;
    this.shown = shown;
    const isOther = !before || before.tree !== shown.tree || before.root !== shown.root;
    if (isOther) this.#openHeaviest(before);
    if (shown.chosen && (isOther || before.chosen !== shown.chosen)) this.#openTo(shown.chosen);
    this.panel.querySelector('[data-column=self]').textContent = shown.innermost ? 'At root' : 'Self';
    this.#fill();
    const at = this.#indexOf(shown.chosen);
    if (at >= 0 && (isOther || before.chosen !== shown.chosen)) this.list.reveal(at);
  }

  // Opens the heaviest path. Rows that were open stay open if the tree still has the same nodes.
  #openHeaviest(before) {
    const { tree, root } = this.shown;
    const sameFrames = before && tree instanceof ForwardTree && before.tree instanceof ForwardTree;
    if (!sameFrames) this.open.clear();
    let ref = root;
    for (let length = 0; length < MAX_PATH; length++) {
      this.open.add(ref);
      const [heaviest] = this.#childrenOf(ref);
      if (heaviest === undefined || tree.total(heaviest) * 2 < tree.total(ref)) break;
      ref = heaviest;
    }
  }

  #openTo(ref) {
    const { tree, root } = this.shown;
    const path = [];
    for (let above = ref; above !== root && above !== 0; above = tree.parent(above)) {
      path.push(tree.parent(above));
    }
    if (path.length > 0 && path[path.length - 1] === root) path.forEach((above) => this.open.add(above));
  }

  #childrenOf(ref) {
    const { tree } = this.shown;
    return tree.children(ref).slice().sort((a, b) => tree.total(b) - tree.total(a) || a - b);
  }

  #hasCallees(ref) { return this.shown.tree.children(ref).length > 0; }

  #fill() {
    this.rows = [];
    const left = [{ ref: this.shown.root, level: 1, indent: 0 }];
    let widest = 0;
    while (left.length > 0) {
      const row = left.pop();
      this.rows.push(row);
      widest = Math.max(widest, row.indent);
      if (!this.open.has(row.ref)) continue;
      const children = this.#childrenOf(row.ref);
      const step = children.length > 1 ? FORK_INDENT_PX : CHAIN_INDENT_PX;
      const indent = Math.min(row.indent + step, MAX_INDENT_PX);
      for (const child of children.reverse()) left.push({ ref: child, level: row.level + 1, indent });
    }
    this.panel.style.setProperty('--indent', widest + 'px');
    this.list.show(this.rows.length, this.#indexOf(this.shown.chosen));
  }

  #indexOf(ref) {
    return ref === null ? -1 : this.rows.findIndex((row) => row.ref === ref);
  }

  #toggle(index) {
    const { ref } = this.rows[index];
    if (!this.#hasCallees(ref)) return;
    if (!this.open.delete(ref)) this.open.add(ref);
    this.#fill();
  }

  #onKey(key, index) {
    const row = this.rows[index];
    if (!row) return false;
    const hasCallees = this.#hasCallees(row.ref);
    const isOpen = hasCallees && this.open.has(row.ref);
    if (key === 'ArrowRight' && !isOpen || key === 'ArrowLeft' && isOpen || key === ' ') this.#toggle(index);
    else if (key === 'ArrowRight' && hasCallees) this.choose(this.rows[index + 1].ref);
    else if (key === 'ArrowLeft' && row.level > 1) this.choose(this.shown.tree.parent(row.ref));
    else if (key === '*') this.#openBelow(row.ref);
    else if (key === 'Enter') this.zoom(row.ref);
    else return false;
    return true;
  }

  #openBelow(ref) {
    for (let length = 0; ref !== undefined && length < MAX_PATH; length++) {
      this.open.add(ref);
      [ref] = this.#childrenOf(ref);
    }
    this.#fill();
  }

  #row(index) {
    const { profile, tree, kind, whole, matches, tone } = this.shown;
    const { ref, level, indent } = this.rows[index];
    const hasCallees = this.#hasCallees(ref);
    const isOpen = hasCallees && this.open.has(ref);
    const row = document.createElement('div');
    row.className = 'row';
    row.setAttribute('aria-level', level);
    if (hasCallees) row.setAttribute('aria-expanded', String(isOpen));
    const toggle = document.createElement('span');
    toggle.className = 'toggle';
    toggle.setAttribute('aria-hidden', 'true');
    toggle.textContent = !hasCallees ? '' : isOpen ? '▾' : '▸';
    const swatch = document.createElement('i');
    if (ref !== 0) swatch.style.background = tone(tree.tier(ref));
    const frame = tree.frame(ref);
    const name = frame === NO_FRAME ? 'all' : methodName(profile, frame);
    const text = cellOf('gridcell', 'name', toggle, swatch, name);
    text.style.paddingLeft = indent + 'px';
    if (matches && frame !== NO_FRAME && matches[frame]) text.classList.add('match');
    const self = ref === 0 ? 0 : tree.self(ref);
    row.append(
      shareCell(tree.total(ref), whole), cellOf('gridcell', 'number weight', shortWeight(kind, tree.total(ref))),
      shareCell(self, whole), cellOf('gridcell', 'number weight', shortWeight(kind, self)), text);
    return row;
  }
}

PANELS.push({
  side: 'tree', name: 'Call tree', title: 'Call tree', key: 'h',
  make: (panel, app) => new CallTreePanel(panel, {
    choose: (ref) => app.select(ref), zoom: (ref) => app.zoomTo(ref),
  }),
  show: (panel, { profile, selection, tree, layout, kind, matches, selected, colours, state }) => panel.show({
    profile, tree, root: layout.zoom, kind, whole: selection.sum, matches, chosen: selected,
    innermost: !!state.values.reverse, tone: (tier) => colours.tone(tier),
  }),
});

MENU.push({
  id: 'tree', name: 'Show in the call tree', key: 'h',
  act(app, ref) {
    app.state.set({ side: 'tree' });
    app.select(ref);
  },
});
