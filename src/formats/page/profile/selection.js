// A selection has the samples of one kind, of chosen threads and states, within an interval of time
// or a scope, and without stacks of removed methods. Weights of nodes are computed once per
// selection.

class Selection {
  // `threads` and `states` are Sets, or null for all. `from` and `to` are the first and the last
  // slice. `scope` is null, or a part of the recording that has its own samples: { cells(kind),
  // lengthNs }.
  constructor(profile, { kind, threads, states, from, to, scope, removed }) {
    Object.assign(this, { profile, kind, threads, states, from, to });
    this.cells = (scope || profile).cells(kind);
    this.lengthNs = scope ? scope.lengthNs : this.#lengthNs();
    this.self = new Float64Array(profile.nodeCount);
    this.bySlice = new Float64Array(profile.slices);
    this.byThread = new Float64Array(profile.threads.length); // all threads, chosen or not
    this.byState = new Float64Array(profile.states.length);
    this.present = new Set(); // threads with selected samples
    const { cells } = this;
    for (let i = 0; i < cells.node.length; i++) {
      const ofThread = !threads || threads.has(cells.thread[i]);
      const ofState = !states || states.has(cells.state[i]);
      const ofTime = cells.slice[i] >= from && cells.slice[i] <= to;
      if (ofThread && ofState) this.bySlice[cells.slice[i]] += cells.weight[i];
      if (ofTime && ofState) this.byThread[cells.thread[i]] += cells.weight[i];
      if (ofTime && ofThread) this.byState[cells.state[i]] += cells.weight[i];
    }
    this.variance = cells.variance && new Float64Array(profile.nodeCount); // by node, for self
    this.eachCell((chosen, i) => {
      this.self[chosen.node[i]] += chosen.weight[i];
      if (this.variance) this.variance[chosen.node[i]] += chosen.variance[i];
      this.present.add(chosen.thread[i]);
    });
    this.#dropStacksWith(removed);
    this.total = sumsUpwards(this.self, profile.parent);
    this.variances = this.variance && sumsUpwards(this.variance, profile.parent); // by node, for total
  }

  get sum() {
    return this.total[0];
  }

  // Returns the number of threads with selected samples. Several threads can share a name.
  get threadCount() {
    return [...this.present].reduce((sum, thread) => sum + this.profile.threadCounts[thread], 0);
  }

  // Returns the length of the selected part of the recording.
  #lengthNs() {
    const { startMs, endMs, sliceStartMs, sliceMs } = this.profile;
    const from = Math.max(startMs, sliceStartMs + this.from * sliceMs);
    const to = Math.min(endMs, sliceStartMs + (this.to + 1) * sliceMs);
    return Math.max(to - from, 0) * 1e6;
  }

  // Returns the states of the selected samples, the most frequent first: { state, self, total },
  // where self and total are weights by node.
  statesOfNodes() {
    if (this.stateSums) return this.stateSums;
    const selfOf = new Map();
    this.eachCell(({ node, state, weight }, i) => {
      if (!selfOf.has(state[i])) selfOf.set(state[i], new Float64Array(this.profile.nodeCount));
      if (this.self[node[i]] > 0) selfOf.get(state[i])[node[i]] += weight[i];
    });
    this.stateSums = [...selfOf].map(([state, self]) => ({ state, self, total: sumsUpwards(self, this.profile.parent) }))
      .filter(({ total }) => total[0] > 0).sort((a, b) => b.total[0] - a.total[0]);
    return this.stateSums;
  }

  // Calls visit(cells, i) for every selected cell, including cells of stacks with removed methods.
  eachCell(visit) {
    const { cells } = this;
    for (let i = 0; i < cells.node.length; i++) {
      if (this.threads && !this.threads.has(cells.thread[i])) continue;
      if (this.states && !this.states.has(cells.state[i])) continue;
      if (cells.slice[i] >= this.from && cells.slice[i] <= this.to) visit(cells, i);
    }
  }

  #dropStacksWith(methods) {
    if (methods.size === 0) return;
    const { parent, frame } = this.profile;
    const dropped = new Uint8Array(parent.length);
    for (let i = 1; i < parent.length; i++) {
      dropped[i] = dropped[parent[i]] || methods.has(frame[i]) ? 1 : 0;
      if (!dropped[i]) continue;
      this.self[i] = 0;
      if (this.variance) this.variance[i] = 0;
    }
  }

  // Returns the weight of all stacks below node `under` that contain a matching frame. Each stack
  // counts once.
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

  // Returns the self and total weight of every method, and its self weight by frame kind. If a
  // stack contains a method several times, only the outermost frame counts for the total of the
  // method.
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
    this.eachCell((cells, i) => {
      const node = cells.node[i];
      if (node > 0 && this.self[node] > 0) {
        byTier[frame[node] * frameKinds.length + cells.tier[i]] += cells.weight[i];
      }
    });
    this.methodSums = { self, total, byTier };
    return this.methodSums;
  }

  // Returns [frame kind, weight] pairs of a method's own samples, the most frequent first.
  tiersOfMethod(method) {
    const { byTier } = this.methods();
    const count = this.profile.frameKinds.length;
    return [...this.profile.frameKinds.keys()].map((kind) => [kind, byTier[method * count + kind]])
      .filter(([, weight]) => weight > 0).sort((a, b) => b[1] - a[1]);
  }
}

// Returns the weight of each node together with all nodes below it. REQUIRES: the number of a
// parent is lower than the numbers of its children.
function sumsUpwards(self, parent) {
  const total = Float64Array.from(self);
  for (let i = total.length - 1; i > 0; i--) total[parent[i]] += total[i];
  return total;
}
