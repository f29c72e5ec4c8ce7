// The state of the page. It is kept in the address of the page. So a link has the state, and the
// buttons back and forward of the browser step through earlier and later states. Unknown or damaged
// parts of the address are ignored. Other scripts add keys to the state.

const DEFAULTS = {
  event: '', // name of the kind; if empty, firstKind of the profile
  threads: '', states: '', // indices, joined by '.'
  from: '', to: '', // slices
  view: 'icicle', // or flame
  reverse: '', // 1 if children are callers
  colours: '', // either state (colours by states of threads) or empty (by how the code ran)
  zoom: '', // text of the zoomed node
  find: '',
  without: '', // removed methods, joined by '.'
  side: '', // id of the panel that is beside the graph
  width: '34', // width of the panel in percent
  at: '', // text of the selected node
  method: '', // the method that was chosen last
};

const WRITE_DELAY_MS = 150; // browsers limit how often an address can change

class PageState {
  constructor(onChange) {
    this.onChange = onChange;
    this.values = PageState.#parse(location.hash);
    const reread = () => {
      const values = PageState.#parse(location.hash);
      if (JSON.stringify(values) === JSON.stringify(this.values)) return;
      clearTimeout(this.writing);
      this.values = values;
      onChange();
    };
    addEventListener('popstate', reread);
    addEventListener('hashchange', reread);
  }

  static #parse(hash) {
    const given = new URLSearchParams(hash.slice(1));
    const values = { ...DEFAULTS };
    for (const key of Object.keys(DEFAULTS)) {
      if (given.has(key)) values[key] = given.get(key);
    }
    return values;
  }

  // Changes the state. `how` is 'push' if the button back is to undo the change, and 'replace' if
  // it is not, as for small changes.
  set(changes, how = 'push') {
    clearTimeout(this.writing);
    if (how === 'push') {
      if (this.isUnwritten) this.#write('replace');
      this.values = { ...this.values, ...changes };
      this.#write('push');
    } else {
      this.values = { ...this.values, ...changes };
      this.isUnwritten = true;
      this.writing = setTimeout(() => this.#write('replace'), WRITE_DELAY_MS);
    }
    this.onChange();
  }

  #write(how) {
    this.isUnwritten = false;
    const given = new URLSearchParams();
    for (const [key, value] of Object.entries(this.values)) {
      if (value !== DEFAULTS[key]) given.set(key, value);
    }
    const text = given.toString();
    const address = location.pathname + location.search + (text ? '#' + text : '');
    if (how === 'push') history.pushState(null, '', address);
    else history.replaceState(null, '', address);
  }

  numbers(key, limit, radix = 10) {
    return this.values[key].split('.').filter((text) => text !== '')
      .map((text) => parseInt(text, radix)).filter((n) => n >= 0 && n < limit);
  }
}
