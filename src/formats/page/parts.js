// The tables of the page's panels, parts, menu and keys. Other scripts add rows to the tables, from
// which the page makes its buttons, menus and keys.

// Panels beside the graph:
//   { side, name, title, key, isThere(profile), make(panel, app), show(made, app) }
// `side` is the id of the panel; isThere is optional.
const PANELS = [];

// Parts of the data, or views in place of the graph. Each member is optional:
//   decode(profile, raw)  adds the part's data to the profile
//   connect(app)          called once, before the page is shown
//   read(app)             called when the state has changed; can set app.scope
//   show(app)             returns true if the part is shown in place of the graph
//   leave                 the change of the state that brings the graph back
const PARTS = [];

// Entries in the menu of a frame:
//   { id, name, key, isThere(profile), isOff(app, ref), act(app, ref) }
const MENU = [];

// Keys: { help, shown, keys }. `keys` maps the name of each key to a function of the app. `help` is
// the text in the list of keys; without it, the keys are not listed. `shown` has the names of the
// keys in that list; without it, they are the names in `keys`.
const KEYS = [];
