// The tree from the innermost frames outwards. The children of a node are its callers. The tree is
// built on demand: a node keeps the nodes of the profile for which it stands, and looks for the
// callers of these nodes when its children are first requested.

class ReverseTree {
  // With `withStates`, nodes know the states of their samples.
  constructor(profile, selection, withStates) {
    this.profile = profile;
    this.tiers = profile.tiers(selection.kind);
    this.states = withStates ? selection.statesOfNodes() : [];
    this.nodes = [{ frame: NO_FRAME, sums: this.states.map(({ total }) => total[0]), parent: 0, items: null, children: null }];
    this.nodes[0].sums.unshift(selection.sum, undefined);
    const leaves = new Map(); // node of the profile to [weight, variance, weights by state...]
    for (let i = 1; i < profile.nodeCount; i++) {
      if (selection.self[i] === 0) continue;
      leaves.set(i, [selection.self[i], selection.variance?.[i], ...this.states.map(({ self }) => self[i])]);
    }
    this.nodes[0].children = this.#group(0, leaves);
  }

  frame(ref) { return this.nodes[ref].frame; }
  total(ref) { return this.nodes[ref].sums[0]; }
  self(ref) { return this.nodes[ref].ending; }
  parent(ref) { return this.nodes[ref].parent; }
  variance(ref) { return this.nodes[ref].sums[1]; }
  selfVariance() { return undefined; }

  tier(ref) { return ref === 0 ? 0 : this.tierParts(ref)[0][0]; }
  tierParts(ref) {
    return sortedParts([...this.nodes[ref].tiers]);
  }
  stateParts(ref) {
    return sortedParts(this.states.map(({ state }, i) => [state, this.nodes[ref].sums[2 + i]]));
  }

  children(ref) {
    const node = this.nodes[ref];
    if (node.children) return node.children;
    const { parent } = this.profile;
    const byCaller = new Map();
    for (const [item, sums] of node.items) {
      const caller = parent[item];
      if (caller !== 0) byCaller.set(caller, addedUp(byCaller.get(caller), sums));
    }
    node.children = this.#group(ref, byCaller);
    node.items = null;
    return node.children;
  }

  #group(ref, items) {
    const groups = new Map();
    for (const [item, sums] of items) {
      const frame = this.profile.frame[item];
      let group = groups.get(frame);
      if (!group) {
        group = {
          frame, sums: null, ending: 0, parent: ref, items: new Map(), tiers: new Map(), children: null,
        };
        groups.set(frame, group);
      }
      group.sums = addedUp(group.sums, sums);
      const tier = this.tiers.main[item];
      group.tiers.set(tier, (group.tiers.get(tier) || 0) + sums[0]);
      group.items.set(item, sums);
      if (this.profile.parent[item] === 0) group.ending += sums[0];
    }
    const order = [...groups.values()].sort((a, b) => b.sums[0] - a.sums[0] || a.frame - b.frame);
    return order.map((group) => this.nodes.push(group) - 1);
  }

  // Returns the path of frames from the root, which names the node.
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

// Adds `numbers` to `all` element by element and returns `all`. If `all` is undefined, returns a
// copy of `numbers`.
function addedUp(all, numbers) {
  if (!all) return [...numbers];
  for (let i = 0; i < numbers.length; i++) all[i] += numbers[i];
  return all;
}
