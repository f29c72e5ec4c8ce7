// The table of methods: the self and total weight of each method, and how the code of the method
// ran in its own samples.

const TABLE_ROWS = 300;

class MethodTable {
  // `choose(method)` is called when a row is activated.
  constructor(panel, choose) {
    this.panel = panel;
    this.body = panel.querySelector('tbody');
    this.note = panel.querySelector('.note');
    this.sortBy = 'self';
    for (const button of panel.querySelectorAll('th button')) {
      button.addEventListener('click', () => {
        this.sortBy = button.dataset.sort;
        this.show(this.shown);
      });
    }
    this.body.addEventListener('click', (event) => {
      const row = event.target.closest('tr');
      if (row) choose(Number(row.dataset.method));
    });
  }

  // `shown` is { profile, selection, matches, share, tone }.
  show(shown) {
    this.shown = shown;
    const { profile, selection, matches } = shown;
    const sums = selection.methods();
    for (const cell of this.panel.querySelectorAll('th[data-column]')) {
      const sorted = cell.dataset.column === this.sortBy;
      cell.setAttribute('aria-sort', sorted ? 'descending' : 'none');
    }
    const key = sums[this.sortBy];
    let methods = [...profile.owners.keys()].filter((m) => sums.total[m] > 0 && (!matches || matches[m]));
    methods.sort((a, b) => key[b] - key[a] || sums.total[b] - sums.total[a]);
    const count = methods.length;
    methods = methods.slice(0, TABLE_ROWS);
    this.body.replaceChildren(...methods.map((method) => this.#row(method, sums)));
    this.note.textContent = count > TABLE_ROWS
      ? `The first ${TABLE_ROWS} of ${count} methods. Search to narrow them down.`
      : `${count} ${count === 1 ? 'method' : 'methods'}`;
  }

  #row(method, sums) {
    const { profile, selection, share, tone } = this.shown;
    const row = document.createElement('tr');
    row.dataset.method = method;
    for (const sum of [sums.self[method], sums.total[method]]) {
      const cell = document.createElement('td');
      cell.textContent = share(sum, selection.sum);
      cell.style.setProperty('--bar', (100 * sum / (selection.sum || 1)).toFixed(2) + '%');
      row.append(cell);
    }
    const name = document.createElement('td');
    const button = document.createElement('button');
    const owner = document.createElement('span');
    owner.textContent = profile.ownerPrefix(method);
    button.append(owner, profile.names[method]);
    button.title = [profile.nameOf(method), profile.explanationOf(method)].filter(Boolean).join('\n');
    const tiers = document.createElement('i');
    tiers.className = 'tiers';
    for (const [tier, weight] of selection.tiersOfMethod(method)) {
      const part = document.createElement('b');
      part.style.flexGrow = weight / sums.self[method];
      part.style.background = tone(tier);
      part.title = `${profile.frameKinds[tier].text}, ${share(weight, sums.self[method])} of self`;
      tiers.append(part);
    }
    name.append(button, tiers);
    row.append(name);
    return row;
  }
}

PANELS.push({
  side: 'methods', name: 'Methods', title: 'Hot methods', key: 'm',
  make: (panel, app) => new MethodTable(panel, (method) => app.findMethod(method)),
  show: (table, { profile, selection, matches, colours }) => table.show({
    profile, selection, matches, share, tone: (tier) => colours.tone(tier),
  }),
});
