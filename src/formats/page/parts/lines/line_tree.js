// The tree with lines. For each node of the profile, it has one node for each line in which the
// frame of the node called another frame or ran. The weights of lines count only the selected
// samples.

class LineTree {
  constructor(profile, base64) {
    this.profile = profile;
    const numbers = numbersOf(base64);
    const parents = [0];
    const nodes = [0]; // nodes of the profile
    const lines = [0];
    while (numbers.more()) {
      const parent = parents.length - numbers.next();
      parents.push(parent);
      nodes.push(nodes[parent] + numbers.next());
      lines.push(numbers.next());
    }
    this.parent = Uint32Array.from(parents);
    this.node = Uint32Array.from(nodes);
    this.line = Uint32Array.from(lines); // 0 if unknown
    this.isKnown = new Uint8Array(profile.owners.length); // by method
    lines.forEach((line, i) => {
      if (line > 0) this.isKnown[profile.frame[nodes[i]]] = 1;
    });
  }

  // True if lines of the method are known.
  has(method) { return this.isKnown[method] === 1; }

  // Returns self and total of every node of this tree.
  #sums(selection) {
    if (this.summed === selection) return this.sums;
    const self = new Float64Array(this.parent.length);
    selection.eachCell(({ node, lineNode, weight }, i) => {
      if (selection.self[node[i]] > 0) self[lineNode[i]] += weight[i]; // self is 0 if the stack is removed
    });
    this.summed = selection;
    this.sums = { self, total: sumsUpwards(self, this.parent) };
    return this.sums;
  }

  // Returns a Map from line to { self, total }, the weights of the line. Only lines of methods for
  // which `isWanted(method)` is true count. A stack that contains a line several times counts once
  // for the total of the line.
  weights(selection, isWanted) {
    const { parent, node, line } = this;
    const { frame, owners } = this.profile;
    const { self, total } = this.#sums(selection);
    const wanted = Uint8Array.from(owners.keys(), (method) => (isWanted(method) ? 1 : 0));
    const byLine = new Map();
    const depth = new Uint32Array(parent.length);
    const path = []; // lines of the wanted ancestors, with their depths
    const onPath = new Map();
    for (let i = 1; i < parent.length; i++) {
      depth[i] = depth[parent[i]] + 1;
      while (path.length > 0 && path[path.length - 1][1] >= depth[i]) {
        const [left] = path.pop();
        onPath.set(left, onPath.get(left) - 1);
      }
      if (!wanted[frame[node[i]]]) continue;
      const at = line[i];
      const above = onPath.get(at) || 0;
      if (total[i] > 0) {
        const sums = byLine.get(at) || { self: 0, total: 0 };
        sums.self += self[i];
        if (above === 0) sums.total += total[i];
        byLine.set(at, sums);
      }
      onPath.set(at, above + 1);
      path.push([at, depth[i]]);
    }
    return byLine;
  }
}
