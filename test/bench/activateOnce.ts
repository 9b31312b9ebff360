/**
 * Loads the bundle that is named first, with a stub in place of `vscode`, calls `activate`, and
 * prints how long each took and how large the files are that were loaded. The stub answers
 * everything with more of itself: what is measured is our own work, not that of VS Code.
 */
import { readFileSync, statSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { join } from 'node:path';

interface Extension {
  activate(context: unknown): void;
}

const [bundle = '', root = ''] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const problems: string[] = [];

/** What must not be answered with a stub, for code that asks goes by it. */
const known = new Map<string | symbol, unknown>([
  // The log: a feature that does not start is written down there.
  ['error', (...said: unknown[]) => problems.push(said.join(' '))],
  ['fsPath', root],
  // Settings that are not set.
  ['inspect', () => undefined],
  ['get', () => undefined],
  ['isTrusted', false],
  ['then', undefined],
  ['toJSON', undefined],
  [Symbol.toPrimitive, () => ''],
  [Symbol.iterator, () => [].values()],
]);

/** To be read, called, constructed and extended. */
const stub: object = new Proxy(class {}, {
  get(target, key): unknown {
    if (key === 'prototype') return target.prototype;
    return known.has(key) ? known.get(key) : stub;
  },
  apply: () => stub,
  construct: () => stub,
});

/** Its names are those of the real one. */
function vscodeStub(): object {
  const types = readFileSync(require.resolve('@types/vscode/index.d.ts'), 'utf8');
  const names = types.matchAll(/^\texport (?:namespace|class|enum|const|function) (\w+)/gm);
  return Object.fromEntries([...names].map(([, name]) => [name ?? '', stub] as const));
}

Object.assign(globalThis, { vscodeStub: vscodeStub() });
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'vscode'
      ? { url: 'stub:vscode', format: 'commonjs', shortCircuit: true }
      : next(specifier, context),
  load: (url, context, next) =>
    url === 'stub:vscode'
      ? {
          source: 'module.exports = globalThis.vscodeStub;',
          format: 'commonjs',
          shortCircuit: true,
        }
      : next(url, context),
});

const beforeMs = performance.now();
const { activate } = require(bundle) as Extension;
const loadedMs = performance.now();
const memory = { globalState: stub, workspaceState: stub };
activate({ subscriptions: [], extensionUri: stub, secrets: stub, ...memory });
const activatedMs = performance.now();
if (problems.length > 0) throw new Error(`Not activated: ${problems.join('; ')}`);
const product = join(bundle, '..');
const files = Object.keys(require.cache).filter((file) => file.startsWith(product));
const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
process.stdout.write(
  JSON.stringify({ loadMs: loadedMs - beforeMs, activateMs: activatedMs - loadedMs, bytes }),
);
process.exit();
