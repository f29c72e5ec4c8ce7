// Pop-ups: one open at a time, closed by Escape and by a click elsewhere.

const Popups = {
  open: null,

  toggle(popup, anchor) {
    if (this.open === popup) this.close();
    else this.show(popup, anchor);
  },

  // Below `anchor`, an element or a point.
  show(popup, anchor) {
    this.close();
    popup.hidden = false;
    const box = anchor instanceof Element
      ? anchor.getBoundingClientRect() : { left: anchor.x, right: anchor.x, bottom: anchor.y, top: anchor.y };
    const left = Math.min(box.left, innerWidth - popup.offsetWidth - 8);
    const below = box.bottom + 6 + popup.offsetHeight <= innerHeight;
    popup.style.left = Math.max(left, 8) + 'px';
    popup.style.top = Math.max(below ? box.bottom + 6 : box.top - popup.offsetHeight - 6, 8) + 'px';
    this.open = popup;
    this.anchor = anchor instanceof Element ? anchor : null;
    if (this.anchor) this.anchor.setAttribute('aria-expanded', 'true');
    const first = popup.querySelector('input, button, [tabindex]');
    if (first) first.focus();
  },

  close() {
    if (!this.open) return false;
    const hadFocus = this.open.contains(document.activeElement);
    this.open.hidden = true;
    this.open = null;
    if (this.anchor) {
      this.anchor.setAttribute('aria-expanded', 'false');
      if (hadFocus) this.anchor.focus();
    }
    this.anchor = null;
    return true;
  },
};

addEventListener('pointerdown', (event) => {
  const inside = Popups.open && Popups.open.contains(event.target);
  const onAnchor = Popups.anchor && Popups.anchor.contains(event.target);
  if (Popups.open && !inside && !onAnchor) Popups.close();
});

// The list of threads with its filter. `choose(set)`: the threads wanted, null for all.
class ThreadList {
  constructor(popup, { threads, placeholders }, choose) {
    this.popup = popup;
    this.threads = threads;
    this.placeholders = placeholders;
    this.list = popup.querySelector('.list');
    this.filter = popup.querySelector('input[type=search]');
    this.choose = choose;
    this.filter.addEventListener('input', () => this.#fill());
    popup.querySelector('[data-do=all]').addEventListener('click', () => choose(null));
    popup.querySelector('[data-do=shown]').addEventListener('click', () => {
      choose(new Set(this.#shown()));
    });
    this.list.addEventListener('change', (event) => {
      const next = new Set(this.chosen || this.threads.keys());
      const thread = Number(event.target.value);
      if (event.target.checked) next.add(thread);
      else next.delete(thread);
      choose(next.size === this.threads.length ? null : next);
    });
  }

  show(chosen) {
    this.chosen = chosen;
    this.#fill();
  }

  #shown() {
    const wanted = this.filter.value.toLowerCase();
    return [...this.threads.keys()].filter((i) => this.threads[i].toLowerCase().includes(wanted));
  }

  #fill() {
    this.list.replaceChildren(...this.#shown().map((i) => {
      const label = document.createElement('label');
      const box = document.createElement('input');
      box.type = 'checkbox';
      box.value = i;
      box.checked = !this.chosen || this.chosen.has(i);
      const only = document.createElement('button');
      only.textContent = 'only';
      only.title = `Show ${this.threads[i]} alone`;
      only.addEventListener('click', (event) => {
        event.preventDefault();
        this.choose(new Set([i]));
      });
      const name = document.createElement('span');
      name.textContent = this.threads[i];
      name.title = this.placeholders.get(this.threads[i]) || '';
      label.append(box, name, only);
      return label;
    }));
  }
}
