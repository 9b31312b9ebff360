/**
 * The bash grammar: web-tree-sitter and tree-sitter-bash, both WebAssembly, loaded once per
 * process.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Parser as BashParser, Tree } from 'web-tree-sitter';

let parser: BashParser | undefined;
let loading: Promise<void> | undefined;

/** Loads the grammar for `parseShell`. Later calls return the same promise. */
export function loadShell(): Promise<void> {
  loading ??= load();
  return loading;
}

async function load(): Promise<void> {
  const [{ Language, Parser }, runtime, grammar] = await Promise.all([
    import('./runtime.ts'),
    wasm('web-tree-sitter'),
    wasm('tree-sitter-bash'),
  ]);
  await Parser.init({ wasmBinary: runtime.buffer });
  parser = new Parser().setLanguage(await Language.load(grammar));
}

/**
 * Reads a WebAssembly file, which lies next to the bundle or, when running from source, in the npm
 * package.
 */
async function wasm(name: string): Promise<Uint8Array<ArrayBuffer>> {
  const bundled = fileURLToPath(new URL(`./${name}.wasm`, import.meta.url));
  const file = existsSync(bundled)
    ? bundled
    : createRequire(import.meta.url).resolve(`${name}/${name}.wasm`);
  return new Uint8Array(await readFile(file));
}

/** Parses a text. The caller must delete the tree. Throws if `loadShell` has not resolved yet. */
export function syntaxTree(text: string): Tree {
  if (parser === undefined)
    throw new Error('The shell parser is not loaded. Await loadShell() first.');
  const tree = parser.parse(text);
  if (tree === null) throw new Error('The shell parser has no language.');
  return tree;
}
