// The profile of the page, decoded into arrays. Nodes are in preorder, so a parent comes before its
// children. One loop over the nodes, without recursion, can sum stacks of any depth.

const NO_FRAME = 0xffffffff;

// Decodes varints (7 bits per byte) in Base64.
function numbersOf(base64) {
  const text = atob(base64);
  let at = 0;
  return {
    more: () => at < text.length,
    next() {
      let value = 0;
      for (let scale = 1; ; scale *= 128) {
        const byte = text.charCodeAt(at++);
        value += (byte & 127) * scale;
        if (!(byte & 128)) return value;
      }
    },
  };
}

class Profile {
  constructor(raw) {
    Object.assign(this, {
      title: raw.title, missing: raw.missing, jvm: raw.jvm, program: raw.program, audit: raw.audit, pid: raw.pid,
      startMs: raw.startMs, endMs: raw.endMs, sliceStartMs: raw.sliceStartMs,
      sliceMs: raw.sliceMs, slices: raw.slices, threads: raw.threads, states: raw.states,
      frameKinds: raw.frameKinds, firstKind: raw.firstKind, threadCounts: [],
      placeholders: new Map(raw.placeholders.map(({ name, text }) => [name, text])),
    });
    const counts = numbersOf(raw.threadCounts);
    while (counts.more()) this.threadCounts.push(counts.next());
    this.#decodeFrames(raw);
    this.#decodeNodes(raw);
    this.lines = null; // a LineTree, if cells refer to its nodes and not to those of the profile
    for (const part of PARTS) part.decode?.(this, raw);
    this.kinds = raw.kinds.map((kind) => ({ ...kind, decoded: null }));
  }

  #decodeFrames(raw) {
    const numbers = numbersOf(raw.frames);
    this.owners = [];
    this.names = [];
    this.isSymbol = []; // 1 for a symbol of native code
    while (numbers.more()) {
      this.owners.push(raw.owners[numbers.next()]);
      const name = numbers.next();
      this.names.push(raw.names[Math.floor(name / 2)]);
      this.isSymbol.push(name % 2);
    }
  }

  #decodeNodes(raw) {
    const numbers = numbersOf(raw.nodes);
    const parents = [0];
    const frames = [NO_FRAME];
    while (numbers.more()) {
      parents.push(parents.length - numbers.next());
      frames.push(numbers.next());
    }
    const count = parents.length;
    this.parent = Uint32Array.from(parents);
    this.frame = Uint32Array.from(frames);
    this.depth = new Uint32Array(count);
    this.end = new Uint32Array(count); // the last node of the subtree, plus 1
    for (let i = 1; i < count; i++) this.depth[i] = this.depth[this.parent[i]] + 1;
    for (let i = count - 1; i >= 0; i--) {
      if (this.end[i] === 0) this.end[i] = i + 1;
      if (i > 0 && this.end[this.parent[i]] < this.end[i]) this.end[this.parent[i]] = this.end[i];
    }
  }

  get nodeCount() {
    return this.parent.length;
  }

  // Returns the samples of a kind as arrays { thread, state, slice, node, tier, weight }. `weight`
  // is the sum over all samples that are equal in the other members. If lines are known, there is
  // also `lineNode`, a node of the tree of lines. If the weights are estimates with known errors,
  // there is also `variance`.
  cells(kindIndex) {
    const kind = this.kinds[kindIndex];
    if (!kind) return this.decodeCells('');
    if (!kind.decoded) {
      kind.decoded = this.decodeCells(kind.cells);
      kind.cells = null;
      const errors = kind.errors && numbersOf(kind.errors);
      if (errors) kind.decoded.variance = kind.decoded.weight.map(() => errors.next() ** 2);
      if (kind.error !== undefined) kind.scaled = this.#scaledOf(kind);
    }
    return kind.decoded;
  }

  // Returns sums { weight, summed, variance } over all samples of a kind whose weights are scaled
  // to a total that the JVM has counted. `summed` is the sum of the variances of the samples, and
  // `variance` is the variance of the total.
  #scaledOf({ decoded, error }) {
    const sum = (numbers) => numbers.reduce((all, number) => all + number, 0);
    return { weight: sum(decoded.weight), summed: sum(decoded.variance), variance: error ** 2 };
  }

  decodeCells(base64) {
    const cells = { thread: [], state: [], slice: [], node: [], lineNode: [], tier: [], weight: [] };
    const numbers = numbersOf(base64);
    const tiers = this.frameKinds.length;
    while (numbers.more()) {
      const thread = numbers.next();
      const state = numbers.next();
      const slice = numbers.next();
      let place = 0;
      for (let left = numbers.next(); left > 0; left--) {
        place += numbers.next();
        const node = Math.floor(place / tiers);
        cells.thread.push(thread);
        cells.state.push(state);
        cells.slice.push(slice);
        cells.node.push(this.lines ? this.lines.node[node] : node);
        if (this.lines) cells.lineNode.push(node);
        cells.tier.push(place % tiers);
        cells.weight.push(numbers.next());
      }
    }
    return cells;
  }

  // Returns how the frames of nodes ran, over all samples of a kind: `main` has the most frequent
  // frame kind of each node, `mixed` maps nodes with several frame kinds to [frame kind, weight]
  // pairs, and `used` has all frame kinds.
  tiers(kindIndex) {
    const kind = this.kinds[kindIndex];
    if (kind && kind.tiersDecoded) return kind.tiersDecoded;
    const tiers = { main: new Uint8Array(this.nodeCount), mixed: new Map(), used: new Set() };
    if (!kind) return tiers;
    const numbers = numbersOf(kind.tiers);
    let node = 0;
    while (numbers.more()) {
      const head = numbers.next();
      node += Math.floor(head / 2);
      if (head % 2 === 0) {
        tiers.main[node] = numbers.next();
        tiers.used.add(tiers.main[node]);
        continue;
      }
      const parts = [];
      for (let left = numbers.next(); left > 0; left--) parts.push([numbers.next(), numbers.next()]);
      parts.sort((a, b) => b[1] - a[1]);
      tiers.main[node] = parts[0][0];
      tiers.mixed.set(node, parts);
      for (const [tier] of parts) tiers.used.add(tier);
    }
    kind.tiersDecoded = tiers;
    return tiers;
  }

  // Returns the text that is shown before the name of a frame: the owner of the frame. The owner of
  // a symbol is a library. The library is shown before the name only if the symbol is unknown;
  // otherwise only the tooltip shows it.
  ownerPrefix(frame) {
    const owner = this.owners[frame];
    if (!owner) return '';
    if (!this.isSymbol[frame]) return owner + '.';
    return this.names[frame] === '[unknown]' ? owner + ' ' : '';
  }

  // Returns the explanation of a placeholder; undefined for other names.
  explanationOf(frame) {
    return this.placeholders.get(this.names[frame]);
  }

  nameOf(frame) {
    return this.ownerPrefix(frame) + this.names[frame];
  }
}
