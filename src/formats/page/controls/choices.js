// A list from which the user chooses threads or states. It has a filter, and shows the weight of
// each entry. It is filled when it is opened.

class Choices {
  // `choose(set)` is called with the chosen entries, or null for all.
  constructor(popup, { names, titles }, choose) {
    Object.assign(this, { popup, names, titles, choose });
    this.list = popup.querySelector('.list');
    this.filter = popup.querySelector('input[type=search]');
    this.filter.addEventListener('input', () => this.#fill());
    popup.querySelector('[data-do=all]').addEventListener('click', () => choose(null));
    popup.querySelector('[data-do=shown]').addEventListener('click', () => {
      choose(new Set(this.#listed()));
    });
    this.list.addEventListener('change', (event) => {
      const next = new Set(this.chosen || this.names.keys());
      const entry = Number(event.target.value);
      if (event.target.checked) next.add(entry);
      else next.delete(entry);
      choose(next.size === this.names.length ? null : next);
    });
  }

  // `weights` has the weight of each entry. The weights count only samples that all choices outside
  // this list select.
  show(chosen, weights) {
    this.chosen = chosen;
    this.weights = weights;
    if (!this.popup.hidden) this.#fill();
  }

  toggle(button) {
    Popups.toggle(this.popup, button);
    if (!this.popup.hidden) this.#fill();
  }

  // Returns the text of the button: "25 threads", "3 of 25 threads", or the name of a single chosen
  // entry.
  text(plural) {
    const count = this.names.length;
    if (!this.chosen) return `${count} ${plural}`;
    const [first] = this.chosen;
    return this.chosen.size === 1 ? this.names[first] : `${this.chosen.size} of ${count} ${plural}`;
  }

  #listed() {
    const wanted = this.filter.value.toLowerCase();
    return [...this.names.keys()].filter((i) => this.names[i].toLowerCase().includes(wanted));
  }

  #fill() {
    const whole = this.weights.reduce((sum, weight) => sum + weight, 0);
    const focused = this.list.contains(document.activeElement) ? document.activeElement.value : null;
    this.list.replaceChildren(...this.#listed().map((i) => {
      const label = document.createElement('label');
      const box = document.createElement('input');
      box.type = 'checkbox';
      box.value = i;
      box.checked = !this.chosen || this.chosen.has(i);
      const name = document.createElement('span');
      name.textContent = this.names[i];
      name.title = this.titles[i] || this.names[i];
      const part = document.createElement('small');
      part.textContent = share(this.weights[i], whole);
      part.style.setProperty('--bar', (100 * this.weights[i] / (whole || 1)).toFixed(2) + '%');
      const only = document.createElement('button');
      only.textContent = 'only';
      only.title = `Show ${this.names[i]} alone`;
      only.addEventListener('click', (event) => {
        event.preventDefault();
        this.choose(new Set([i]));
      });
      label.append(box, name, only, part);
      return label;
    }));
    const again = focused && this.list.querySelector(`input[value="${Number(focused)}"]`);
    if (again) again.focus();
  }
}

const STATE_TEXTS = {
  '': 'not recorded', STATE_DEFAULT: 'running', STATE_WAITING_FOR_CPU: 'waiting for CPU', STATE_IN_IO: 'in I/O',
};

// Returns the name of a state such as "STATE_PARKED_TIMED" in plain words.
function stateText(name) {
  return STATE_TEXTS[name] || name.replace(/^STATE_/, '').replaceAll('_', ' ').toLowerCase();
}
