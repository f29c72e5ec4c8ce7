// The source files of methods: their names, their texts if the page has them, and addresses that
// open a line in an editor.

class Sources {
  // `raw` is the data of the page. Its members sources, sourceOf, sourcesNote, editor and
  // editorSchemes are optional.
  constructor(raw) {
    this.files = raw.sources || []; // { name, path, text }
    this.note = raw.sourcesNote || '';
    this.editor = raw.editor || '';
    this.schemes = new Set(raw.editorSchemes || []);
    this.ofMethod = []; // index of the file plus 1; 0 if unknown
    if (!raw.sourceOf) return;
    const numbers = numbersOf(raw.sourceOf);
    while (numbers.more()) this.ofMethod.push(numbers.next());
  }

  of(method) {
    return this.files[this.ofMethod[method] - 1] || null;
  }

  // Returns the address of a line in the editor; null if there is no editor, or if the scheme of
  // its address is not one of editorSchemes.
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
