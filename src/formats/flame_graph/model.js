// The selection: one kind of samples, some threads, a span of time, without some methods. Weights of
// nodes are computed once per selection.

class Selection {
  // `threads`: a Set, or null for all; `from`, `to`: slices, both included.
  constructor(profile, { kind, threads, from, to, removed }) {
    this.profile = profile;
    this.kind = kind;
    const count = profile.nodeCount;
    this.self = new Float64Array(count);
    this.bySlice = new Float64Array(profile.slices);
    this.threads = threads;
    this.from = from;
    this.to = to;
    this.present = new Set(); // threads that have samples here
    const cells = profile.cells(kind);
    for (let i = 0; i < cells.node.length; i++) {
      if (threads && !threads.has(cells.thread[i])) continue;
      this.bySlice[cells.slice[i]] += cells.weight[i];
    }
    this.#eachCell((chosen, i) => {
      this.self[chosen.node[i]] += chosen.weight[i];
      this.present.add(chosen.thread[i]);
    });
    if (removed.size > 0) this.#dropStacksWith(removed);
    this.total = Float64Array.from(this.self);
    for (let i = count - 1; i > 0; i--) this.total[profile.parent[i]] += this.total[i];
  }

  get sum() {
    return this.total[0];
  }

  // The number of threads: several may share a name.
  get threadCount() {
    return [...this.present].reduce((sum, thread) => sum + this.profile.threadCounts[thread], 0);
  }

  // The selected part of the recording.
  get lengthNs() {
    const { startMs, endMs, sliceStartMs, sliceMs } = this.profile;
    const from = Math.max(startMs, sliceStartMs + this.from * sliceMs);
    const to = Math.min(endMs, sliceStartMs + (this.to + 1) * sliceMs);
    return Math.max(to - from, 0) * 1e6;
  }

  #eachCell(visit) {
    const cells = this.profile.cells(this.kind);
    for (let i = 0; i < cells.node.length; i++) {
      if (this.threads && !this.threads.has(cells.thread[i])) continue;
      if (cells.slice[i] >= this.from && cells.slice[i] <= this.to) visit(cells, i);
    }
  }

  #dropStacksWith(methods) {
    const { parent, frame } = this.profile;
    const dropped = new Uint8Array(parent.length);
    for (let i = 1; i < parent.length; i++) {
      dropped[i] = dropped[parent[i]] || methods.has(frame[i]) ? 1 : 0;
      if (dropped[i]) this.self[i] = 0;
    }
  }

  // The weight of all stacks that hold a matching frame; a stack counts once. Below node `under`,
  // if given.
  matchedWeight(matches, under = 0) {
    const { parent, frame, end } = this.profile;
    const inside = new Uint8Array(parent.length);
    let weight = 0;
    for (let i = 1; i < parent.length; i++) {
      inside[i] = inside[parent[i]] || matches[frame[i]];
      if (inside[i] && i >= under && i < end[under]) weight += this.self[i];
    }
    return weight;
  }

  // Self and total of every method, and self by how it ran; of a recursive method only the
  // outermost frame counts.
  methods() {
    if (this.methodSums) return this.methodSums;
    const { parent, frame, depth, owners, frameKinds } = this.profile;
    const self = new Float64Array(owners.length);
    const total = new Float64Array(owners.length);
    const onPath = new Uint32Array(owners.length);
    const path = [];
    for (let i = 1; i < parent.length; i++) {
      while (path.length >= depth[i]) onPath[path.pop()]--;
      const method = frame[i];
      if (onPath[method] === 0) total[method] += this.total[i];
      self[method] += this.self[i];
      onPath[method]++;
      path.push(method);
    }
    const byTier = new Float64Array(owners.length * frameKinds.length);
    this.#eachCell((cells, i) => {
      const node = cells.node[i];
      if (node > 0 && this.self[node] > 0) {
        byTier[frame[node] * frameKinds.length + cells.tier[i]] += cells.weight[i];
      }
    });
    this.methodSums = { self, total, byTier };
    return this.methodSums;
  }

  // [frame kind, weight] pairs of a method's own samples, the most frequent first.
  tiersOfMethod(method) {
    const { byTier } = this.methods();
    const count = this.profile.frameKinds.length;
    return [...this.profile.frameKinds.keys()].map((kind) => [kind, byTier[method * count + kind]])
      .filter(([, weight]) => weight > 0).sort((a, b) => b[1] - a[1]);
  }
}

// Callers below, callees above: the tree of the profile.
class ForwardTree {
  constructor(profile, selection) {
    this.profile = profile;
    this.weights = selection.total;
    this.selfWeights = selection.self;
    this.tiers = profile.tiers(selection.kind);
  }

  frame(ref) { return this.profile.frame[ref]; }
  total(ref) { return this.weights[ref]; }
  self(ref) { return this.selfWeights[ref]; }
  parent(ref) { return this.profile.parent[ref]; }

  // How the frame ran: the most frequent kind, and all as [frame kind, weight] pairs.
  tier(ref) { return this.tiers.main[ref]; }
  tierParts(ref) { return this.tiers.mixed.get(ref) || [[this.tiers.main[ref], 1]]; }

  children(ref) {
    const { end } = this.profile;
    const children = [];
    for (let child = ref + 1; child < end[ref]; child = end[child]) {
      if (this.weights[child] > 0) children.push(child);
    }
    return children;
  }

  // A short text that names the node, and back; null if it is not shown now.
  textOf(ref) { return ref.toString(36); }
  refOf(text) {
    const ref = parseInt(text, 36);
    return ref > 0 && ref < this.profile.nodeCount && this.weights[ref] > 0 ? ref : null;
  }
}
