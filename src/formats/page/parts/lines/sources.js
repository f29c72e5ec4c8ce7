// The source files of methods: names, texts where the page has them, and addresses that open a line
// in an editor.

class Sources {
  // `raw`: sources, sourceOf, sourcesNote, editor of the data; all may be absent.
  constructor(raw) {
    this.files = raw.sources || []; // of { name, path, text }
    this.note = raw.sourcesNote || '';
    this.editor = raw.editor || '';
    this.schemes = new Set(raw.editorSchemes || []);
    this.ofMethod = []; // number + 1, 0: not known
    if (!raw.sourceOf) return;
    const numbers = numbersOf(raw.sourceOf);
    while (numbers.more()) this.ofMethod.push(numbers.next());
  }

  of(method) {
    return this.files[this.ofMethod[method] - 1] || null;
  }

  // null without an editor, or if the address is none of a kind that opens editors.
  editorAddress(method, line) {
    const file = this.of(method);
    const path = file && (file.path || file.name);
    if (!this.editor || !path) return null;
    const encoded = path.split('/').map(encodeURIComponent).join('/');
    const text = this.editor.replace(/\{(path|line)\}/g, (_, name) => (name === 'path' ? encoded : line));
    try {
      const { protocol } = new URL(text);
      return this.schemes.has(protocol.slice(0, -1)) ? text : null;
    } catch {
      return null;
    }
  }
}
