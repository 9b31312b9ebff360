/**
 * Loads the bundle that is named first, with a stub in place of `vscode`, calls `activate`, and prints how long each took.
 * The stub answers everything with more of itself: what is measured is our own work, not that of VS Code.
 */
const Module = require('node:module');

const [bundle, root] = process.argv.slice(2);
const known = {
  isTrusted: false,
  then: undefined,
  fsPath: root,
  toJSON: undefined,
  [Symbol.toPrimitive]: () => '',
  [Symbol.iterator]: function* () {},
};

/** To be read, called, constructed and extended. */
const stub = new Proxy(class {}, {
  get: (target, key) => (key === 'prototype' ? target.prototype : key in known ? known[key] : stub),
  apply: () => stub,
  construct: () => stub,
});

const load = Module._load;
Module._load = (request, ...rest) => (request === 'vscode' ? stub : load(request, ...rest));

const beforeMs = performance.now();
const { activate } = require(bundle);
const loadedMs = performance.now();
activate({ subscriptions: [], extensionUri: stub, secrets: stub, globalState: stub });
const activatedMs = performance.now();
process.stdout.write(JSON.stringify({ loadMs: loadedMs - beforeMs, activateMs: activatedMs - loadedMs }));
process.exit();
