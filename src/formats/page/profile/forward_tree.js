// The tree of the profile, in which a node's children are its callees.

class ForwardTree {
  constructor(profile, selection) {
    this.profile = profile;
    this.weights = selection.total;
    this.selfWeights = selection.self;
    this.selection = selection;
    this.tiers = profile.tiers(selection.kind);
  }

  frame(ref) { return this.profile.frame[ref]; }
  total(ref) { return this.weights[ref]; }
  self(ref) { return this.selfWeights[ref]; }
  parent(ref) { return this.profile.parent[ref]; }
  // variance returns the sum of the variances of the samples that make up the total weight of a
  // node, and selfVariance the sum for its self weight. The sums are undefined if they are unknown.
  variance(ref) { return this.selection.variances?.[ref]; }
  selfVariance(ref) { return this.selection.variance?.[ref]; }

  // tier returns the most frequent frame kind of the node. tierParts returns all frame kinds of the
  // node, as [frame kind, weight] pairs.
  tier(ref) { return this.tiers.main[ref]; }
  tierParts(ref) { return this.tiers.mixed.get(ref) || [[this.tiers.main[ref], 1]]; }

  // Returns [state, weight] pairs, the most frequent state first.
  stateParts(ref) {
    return sortedParts(this.selection.statesOfNodes().map(({ state, total }) => [state, total[ref]]));
  }

  children(ref) {
    const { end } = this.profile;
    const children = [];
    for (let child = ref + 1; child < end[ref]; child = end[child]) {
      if (this.weights[child] > 0) children.push(child);
    }
    return children;
  }

  // textOf returns a short text that names a node. refOf returns the node that such a text names,
  // or null if the node has no selected samples.
  textOf(ref) { return ref.toString(36); }
  refOf(text) {
    const ref = parseInt(text, 36);
    return ref > 0 && ref < this.profile.nodeCount && this.weights[ref] > 0 ? ref : null;
  }
}

// Returns the pairs [part, weight] with a positive weight, the heaviest first.
function sortedParts(parts) {
  return parts.filter(([, weight]) => weight > 0).sort((a, b) => b[1] - a[1]);
}
