// The tree from the innermost frames outwards: a node's children are its callers. Built on
// demand: a node keeps the nodes of the profile that it represents, and finds their callers when its
// children are first requested.

class ReverseTree {
  constructor(profile, selection) {
    this.profile = profile;
    this.tiers = profile.tiers(selection.kind);
    this.nodes = [{ frame: NO_FRAME, total: selection.sum, parent: 0, items: null, children: null }];
    const leaves = [];
    const weights = [];
    for (let i = 1; i < profile.nodeCount; i++) {
      if (selection.self[i] > 0) {
        leaves.push(i);
        weights.push(selection.self[i]);
      }
    }
    this.nodes[0].children = this.#group(0, leaves, weights);
  }

  frame(ref) { return this.nodes[ref].frame; }
  total(ref) { return this.nodes[ref].total; }
  self(ref) { return this.nodes[ref].ending; }
  parent(ref) { return this.nodes[ref].parent; }

  tier(ref) { return ref === 0 ? 0 : this.tierParts(ref)[0][0]; }
  tierParts(ref) {
    return [...this.nodes[ref].tiers].sort((a, b) => b[1] - a[1]);
  }

  children(ref) {
    const node = this.nodes[ref];
    if (node.children) return node.children;
    const { parent } = this.profile;
    const byCaller = new Map();
    for (let i = 0; i < node.items.length; i++) {
      const caller = parent[node.items[i]];
      if (caller !== 0) byCaller.set(caller, (byCaller.get(caller) || 0) + node.weights[i]);
    }
    node.children = this.#group(ref, [...byCaller.keys()], [...byCaller.values()]);
    node.items = node.weights = null;
    return node.children;
  }

  #group(ref, items, weights) {
    const groups = new Map();
    for (let i = 0; i < items.length; i++) {
      const frame = this.profile.frame[items[i]];
      let group = groups.get(frame);
      if (!group) {
        group = {
          frame, total: 0, ending: 0, parent: ref, items: [], weights: [], tiers: new Map(), children: null,
        };
        groups.set(frame, group);
      }
      group.total += weights[i];
      const tier = this.tiers.main[items[i]];
      group.tiers.set(tier, (group.tiers.get(tier) || 0) + weights[i]);
      group.items.push(items[i]);
      group.weights.push(weights[i]);
      if (this.profile.parent[items[i]] === 0) group.ending += weights[i];
    }
    const order = [...groups.values()].sort((a, b) => b.total - a.total || a.frame - b.frame);
    return order.map((group) => this.nodes.push(group) - 1);
  }

  // The path of frames from the root.
  textOf(ref) {
    const path = [];
    for (let node = ref; node !== 0; node = this.nodes[node].parent) {
      path.push(this.nodes[node].frame.toString(36));
    }
    return path.reverse().join('.');
  }

  refOf(text) {
    let ref = 0;
    for (const part of text.split('.')) {
      const frame = parseInt(part, 36);
      const next = this.children(ref).find((child) => this.nodes[child].frame === frame);
      if (next === undefined) break;
      ref = next;
    }
    return ref || null;
  }
}
