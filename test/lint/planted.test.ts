/** Each rule of the house is broken once in a tiny tree with the project's own configuration: the check must say so. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { repositoryRoot } from '../setup/paths.ts';

type Files = Readonly<Record<string, string>>;

interface Plant {
  readonly what: string;
  readonly script: 'typecheck' | 'lint' | 'format:check' | 'arch' | 'unused';
  readonly files: Files;
  /** What the output must name. */
  readonly named: RegExp;
}

/** The smallest tree that keeps every rule. */
const cleanTree: Files = {
  'src/extension.ts': "import { half } from './base/half.ts';\n\nhalf(2);\n",
  'src/base/half.ts': 'export function half(value: number): number {\n  return value / 2;\n}\n',
  'webview/metrics/main.ts': "document.title = 'Metrics';\n",
  'test/unit/half.test.ts': "import { half } from '../../src/base/half.ts';\n\nhalf(4);\n",
};

const configuration = [
  ...['tsconfig.json', 'webview/tsconfig.json', 'test/tsconfig.json', '.prettierrc.json', '.prettierignore'],
  ...['test/lint/eslint.config.mjs', 'test/lint/architecture.cjs', 'test/lint/knip.json'],
];

const plants: readonly Plant[] = [
  {
    what: 'a type error',
    script: 'typecheck',
    files: { 'src/base/planted.ts': "export const count: number = 'three';\n" },
    named: /src\/base\/planted\.ts.*TS2322/,
  },
  {
    what: 'the DOM in the engine',
    script: 'typecheck',
    files: { 'src/base/planted.ts': 'export const title = document.title;\n' },
    named: /src\/base\/planted\.ts.*TS2584/,
  },
  {
    what: 'Node in a webview',
    script: 'typecheck',
    files: { 'webview/metrics/planted.ts': 'export const home = process.cwd();\n' },
    named: /webview\/metrics\/planted\.ts.*TS2591/,
  },
  {
    what: 'a floating promise',
    script: 'lint',
    files: { 'src/base/planted.ts': 'export function start(): void {\n  Promise.resolve(1);\n}\n' },
    named: /@typescript-eslint\/no-floating-promises/,
  },
  {
    what: 'a switch that is not exhaustive',
    script: 'lint',
    files: {
      'src/base/planted.ts':
        "export function grade(state: 'up' | 'down'): number {\n  switch (state) {\n    case 'up':\n      return 1;\n  }\n  return 0;\n}\n",
    },
    named: /@typescript-eslint\/switch-exhaustiveness-check/,
  },
  {
    what: 'any',
    script: 'lint',
    files: { 'src/base/planted.ts': 'export type Anything = any;\n' },
    named: /@typescript-eslint\/no-explicit-any/,
  },
  {
    what: 'an empty catch',
    script: 'lint',
    files: {
      'src/base/planted.ts': 'export function tried(act: () => void): void {\n  try {\n    act();\n  } catch {}\n}\n',
    },
    named: /no-empty/,
  },
  {
    what: 'a file of more than 400 lines',
    script: 'lint',
    files: { 'src/base/planted.ts': 'export {};\n'.repeat(401) },
    named: /max-lines/,
  },
  {
    what: 'another format',
    script: 'format:check',
    files: { 'src/base/planted.ts': 'export const  two = "2"\n' },
    named: /src\/base\/planted\.ts/,
  },
  {
    what: 'an engine folder that knows VS Code',
    script: 'arch',
    files: { 'src/metrics/planted.ts': "import { window } from 'vscode';\n\nexport const state = window.state;\n" },
    named: /core-knows-no-vscode: src\/metrics\/planted\.ts/,
  },
  {
    what: 'an import upwards',
    script: 'arch',
    files: {
      'src/machines/planted.ts': "export { run } from '../runs/run.ts';\n",
      'src/runs/run.ts': 'export const run = 1;\n',
    },
    named: /layer-machines: src\/machines\/planted\.ts/,
  },
  {
    what: 'a circle',
    script: 'arch',
    files: {
      'src/base/one.ts': "import { two } from './two.ts';\n\nexport const one = (): number => two() + 1;\n",
      'src/base/two.ts': "import { one } from './one.ts';\n\nexport const two = (): number => one() + 1;\n",
    },
    named: /no-cycles: src\/base\/(one|two)\.ts/,
  },
  {
    what: 'a webview that knows the engine',
    script: 'arch',
    files: { 'webview/metrics/planted.ts': "export { half } from '../../src/base/half.ts';\n" },
    named: /webview-knows-only-protocol: webview\/metrics\/planted\.ts/,
  },
  {
    what: 'an export that nobody uses',
    script: 'unused',
    files: { 'src/base/half.ts': `${cleanTree['src/base/half.ts']}\nexport const third = 1 / 3;\n` },
    named: /^third .*src\/base\/half\.ts/m,
  },
  {
    what: 'a file that nobody imports',
    script: 'unused',
    files: { 'src/base/planted.ts': 'export {};\n' },
    named: /src\/base\/planted\.ts/,
  },
];

describe('npm run check', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'planted-'));
    for (const path of configuration) cpSync(join(repositoryRoot, path), join(root, path), { recursive: true });
    symlinkSync(join(repositoryRoot, 'node_modules'), join(root, 'node_modules'));
    writeTree(root, { ...cleanTree, 'package.json': manifestOfTree() });
  });

  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('passes a tree that keeps every rule', () => {
    for (const script of new Set(plants.map((plant) => plant.script))) {
      const { status, output } = check(root, script);
      assert.equal(status, 0, `${script} fails the clean tree:\n${output}`);
    }
  });

  for (const { what, script, files, named } of plants) {
    it(`fails ${what}, by ${script}`, () => {
      writeTree(root, files);
      const { status, output } = check(root, script);
      assert.notEqual(status, 0, `${script} lets it pass`);
      assert.match(output, named);
    });
  }

  it('runs each of these commands', () => {
    const check = readManifest().scripts['check'] ?? '';
    for (const script of new Set(plants.map((plant) => plant.script))) assert.ok(check.includes(`npm run ${script}`));
  });
});

function writeTree(root: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

/** Runs the command of the manifest itself, as npm would. */
function check(root: string, script: Plant['script']): { status: number | null; output: string } {
  const command = readManifest().scripts[script] ?? 'false';
  const path = [join(repositoryRoot, 'node_modules/.bin'), process.env['PATH'] ?? ''].join(delimiter);
  const env = { ...process.env, PATH: path, FORCE_COLOR: '0' };
  const { status, stdout, stderr } = spawnSync(command, { cwd: root, shell: true, encoding: 'utf8', env });
  return { status, output: stdout + stderr };
}

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

function readManifest(): Manifest {
  return JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')) as Manifest;
}

/** Only what the tiny tree uses: knip reports the rest as unused. */
function manifestOfTree(): string {
  const { scripts, devDependencies } = readManifest();
  const tools = ['@types/node', '@types/vscode', '@types/mocha', 'typescript', 'typescript-eslint', 'eslint'];
  const kept = [...tools, 'prettier', 'dependency-cruiser', 'knip'].map((name) => [name, devDependencies[name]]);
  const checks = Object.entries(scripts).filter(([name]) => plants.some((plant) => plant.script === name));
  const manifest = {
    name: 'planted',
    type: 'module',
    scripts: Object.fromEntries(checks) as unknown,
    devDependencies: Object.fromEntries(kept) as unknown,
  };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}
