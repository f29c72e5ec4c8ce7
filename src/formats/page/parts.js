// The tables that the page is made of, to which scripts add rows. main.js makes buttons, keys and menus of them.

// What stands beside the graph: { side, name, title, key, isThere(profile), make(panel, app),
// show(made, app) }; `side` is the id of the panel, isThere may be absent.
const PANELS = [];

// Parts of the data or in place of the graph; each member may be absent:
//   decode(profile, raw)  adds what the data has for it
//   connect(app)          once, before anything is shown
//   read(app)             when the state has changed; may set app.scope
//   show(app)             true if it stands in place of the graph
//   leave                 the change of the state that brings the graph back
const PARTS = [];

// What the menu of a frame offers: { id, name, key, isThere(profile), isOff(app, ref), act(app, ref) }.
const MENU = [];

// Keys: { help, shown, keys }; keys: what each does with the app. Without help they are not listed;
// `shown`: how they are listed, else by their names.
const KEYS = [];
