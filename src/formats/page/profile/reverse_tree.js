// The tree from the innermost frames outwards: a node's children are its callers. Built on
// demand: a node keeps the nodes of the profile that it represents, and finds their callers when its
// children are first requested.

class ReverseTree {
  constructor(profile, selection) {
    this.profile = profile;
    this.tiers = profile.tiers(selection.kind);
    this.nodes = [{ frame: NO_FRAME, total: selection.sum, parent: 0, items: null, children: null }];
    const leaves = new Map(); // from nodes of the profile to their weights and the variances of these
    for (let i = 1; i < profile.nodeCount; i++) {
      if (selection.self[i] > 0) leaves.set(i, [selection.self[i], selection.variance?.[i]]);
    }
    this.nodes[0].children = this.#group(0, leaves);
  }

  frame(ref) { return this.nodes[ref].frame; }
  total(ref) { return this.nodes[ref].total; }
  self(ref) { return this.nodes[ref].ending; }
  parent(ref) { return this.nodes[ref].parent; }
  variance(ref) { return this.nodes[ref].variance; }
  selfVariance() { return undefined; }

  tier(ref) { return ref === 0 ? 0 : this.tierParts(ref)[0][0]; }
  tierParts(ref) {
    return [...this.nodes[ref].tiers].sort((a, b) => b[1] - a[1]);
  }

  children(ref) {
    const node = this.nodes[ref];
    if (node.children) return node.children;
    const { parent } = this.profile;
    const byCaller = new Map();
    for (const [item, [weight, variance]] of node.items) {
      const caller = parent[item];
      const [sum, ofSum] = byCaller.get(caller) || [0, 0];
      if (caller !== 0) byCaller.set(caller, [sum + weight, ofSum + variance]);
    }
    node.children = this.#group(ref, byCaller);
    node.items = null;
    return node.children;
  }

  #group(ref, items) {
    const groups = new Map();
    for (const [item, [weight, variance]] of items) {
      const frame = this.profile.frame[item];
      let group = groups.get(frame);
      if (!group) {
        group = {
          frame, total: 0, variance: 0, ending: 0, parent: ref, items: new Map(), tiers: new Map(), children: null,
        };
        groups.set(frame, group);
      }
      group.total += weight;
      group.variance += variance;
      const tier = this.tiers.main[item];
      group.tiers.set(tier, (group.tiers.get(tier) || 0) + weight);
      group.items.set(item, [weight, variance]);
      if (this.profile.parent[item] === 0) group.ending += weight;
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
