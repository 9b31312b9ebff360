/**
 * Each rule of the house is broken once in a tiny tree with the project's own configuration: the
 * check must say so.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { after, before, describe, it } from 'mocha';
import { repositoryRoot } from '../setup/paths.ts';

type Files = Readonly<Record<string, string>>;

interface Plant {
  readonly what: string;
  readonly script: 'typecheck' | 'lint' | 'format:check' | 'arch' | 'unused' | 'shell';
  /** Beside others, its tool would not say whether it fails for it. */
  readonly isAlone?: true;
  readonly files: Files;
  /** What the output must name. */
  readonly named: RegExp;
}

/** The smallest tree that keeps every rule. */
const cleanTree: Files = {
  'src/extension.ts':
    "import { half } from './base/half.ts';\nimport type { Whole } from './metrics/whole.ts';\n\nconst two: Whole = 2;\nhalf(two);\n",
  'src/metrics/whole.ts': 'export type Whole = number;\n',
  'src/base/half.sh': 'echo "$1"\n',
  'src/base/half.ts': 'export function half(value: number): number {\n  return value / 2;\n}\n',
  'webview/metrics/main.ts': "document.title = 'Metrics';\n",
  'test/unit/half.test.ts': "import { half } from '../../src/base/half.ts';\n\nhalf(4);\n",
};

const configuration = [
  ...[
    'tsconfig.json',
    'webview/tsconfig.json',
    'test/tsconfig.json',
    '.prettierrc.json',
    '.prettierignore',
  ],
  ...[
    'test/lint/eslint.config.mjs',
    'test/lint/architecture.cjs',
    'test/lint/layers.cjs',
    'test/lint/knip.json',
    'test/lint/shell.ts',
  ],
];

/** Each in a file of its own, so that all of a tool stand in one tree. */
const plants: readonly Plant[] = [
  {
    what: 'a type error',
    script: 'typecheck',
    files: { 'src/base/wrong.ts': "export const count: number = 'three';\n" },
    named: /^src\/base\/wrong\.ts.* error TS2322/m,
  },
  {
    what: 'the DOM in the engine',
    script: 'typecheck',
    files: { 'src/base/page.ts': 'export const title = document.title;\n' },
    named: /^src\/base\/page\.ts.* error TS2584/m,
  },
  {
    what: 'Node in a webview',
    // The type check ends with the first of its programs that fails: the engine's.
    script: 'typecheck',
    isAlone: true,
    files: { 'webview/metrics/node.ts': 'export const home = process.cwd();\n' },
    named: /^webview\/metrics\/node\.ts.* error TS2591/m,
  },
  {
    what: 'a floating promise',
    script: 'lint',
    files: {
      'src/base/floating.ts': 'export function start(): void {\n  Promise.resolve(1);\n}\n',
    },
    named: ruleAt('floating', '@typescript-eslint/no-floating-promises'),
  },
  {
    what: 'a switch that is not exhaustive',
    script: 'lint',
    files: {
      'src/base/switch.ts':
        "export function grade(state: 'up' | 'down'): number {\n  switch (state) {\n    case 'up':\n      return 1;\n  }\n  return 0;\n}\n",
    },
    named: ruleAt('switch', '@typescript-eslint/switch-exhaustiveness-check'),
  },
  {
    what: 'any',
    script: 'lint',
    files: { 'src/base/any.ts': 'export type Anything = any;\n' },
    named: ruleAt('any', '@typescript-eslint/no-explicit-any'),
  },
  {
    what: 'an empty catch',
    script: 'lint',
    files: {
      'src/base/empty.ts':
        'export function tried(act: () => void): void {\n  try {\n    act();\n  } catch {}\n}\n',
    },
    named: ruleAt('empty', 'no-empty'),
  },
  {
    what: 'a literal that is spread to stand on one line',
    script: 'lint',
    files: {
      'src/base/spread.ts':
        'export const both = (x: number, y: number): object => ({ ...{ x, y }, z: 1 });\n',
      'src/base/spreadIf.ts':
        'export const some = (x?: number): object => ({ ...(x !== undefined && { x }), z: 1 });\n',
    },
    named: ruleAt('spread', 'no-restricted-syntax'),
  },
  {
    what: 'a file of more than 400 lines',
    script: 'lint',
    files: { 'src/base/long.ts': 'export {};\n'.repeat(401) },
    named: ruleAt('long', 'max-lines'),
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
    files: {
      'src/metrics/window.ts':
        "import { window } from 'vscode';\n\nexport const state = window.state;\n",
    },
    named: /error core-knows-no-vscode: src\/metrics\/window\.ts/,
  },
  {
    what: 'rows that know VS Code',
    script: 'arch',
    files: {
      'src/vscode/ui/plantedRows.ts':
        "import { window } from 'vscode';\n\nexport const rows = window.visibleTextEditors;\n",
    },
    named: /error rows-and-texts-know-no-vscode: src\/vscode\/ui\/plantedRows\.ts/,
  },
  {
    what: 'an import upwards',
    script: 'arch',
    files: {
      'src/machines/upwards.ts': "export { run } from '../runs/run.ts';\n",
      'src/runs/run.ts': 'export const run = 1;\n',
    },
    named: /error layer-machines: src\/machines\/upwards\.ts/,
  },
  {
    what: 'an import upwards inside the agent',
    script: 'arch',
    files: {
      'src/agent/budget/plantedLow.ts': "export { plantedLoop } from '../loop/plantedLoop.ts';\n",
      'src/agent/loop/plantedLoop.ts': 'export const plantedLoop = 1;\n',
    },
    named: /agent-budget: src\/agent\/budget\/plantedLow\.ts/,
  },
  {
    what: 'an import upwards inside the extension',
    script: 'arch',
    files: {
      'src/vscode/ui/plantedView.ts': "export { plantedChat } from '../chat/plantedChat.ts';\n",
      'src/vscode/chat/plantedChat.ts': 'export const plantedChat = 1;\n',
    },
    named: /vscode-ui: src\/vscode\/ui\/plantedView\.ts/,
  },
  {
    what: 'a file of the agent outside its folders',
    script: 'arch',
    files: {
      'src/agent/plantedLoose.ts': 'export const loose = 1;\n',
      'src/plantedUser.ts': "export { loose } from './agent/plantedLoose.ts';\n",
    },
    named: /agent-has-floors: src\/plantedUser\.ts/,
  },
  {
    what: 'a circle',
    script: 'arch',
    files: {
      'src/base/one.ts':
        "import { two } from './two.ts';\n\nexport const one = (): number => two() + 1;\n",
      'src/base/two.ts':
        "import { one } from './one.ts';\n\nexport const two = (): number => one() + 1;\n",
    },
    named: /error no-cycles: src\/base\/(one|two)\.ts/,
  },
  {
    what: 'a webview that knows the engine',
    script: 'arch',
    files: { 'webview/metrics/engine.ts': "export { half } from '../../src/base/half.ts';\n" },
    named: /error webview-knows-only-protocol: webview\/metrics\/engine\.ts/,
  },
  {
    what: 'an export that nobody uses',
    // What is only warned of is printed as what fails.
    script: 'unused',
    isAlone: true,
    files: {
      'src/base/half.ts': `${cleanTree['src/base/half.ts']}\nexport const third = 1 / 3;\n`,
    },
    named: /^third .*src\/base\/half\.ts/m,
  },
  {
    what: 'a file that nobody imports',
    script: 'unused',
    files: { 'src/base/planted.ts': 'export {};\n' },
    named: /src\/base\/planted\.ts/,
  },
  {
    what: 'a shell script that does not parse',
    script: 'shell',
    isAlone: true,
    files: { 'src/base/unparsed.sh': 'if true; then\n' },
    named: /^src\/base\/unparsed\.sh: \d+: Syntax error/m,
  },
  {
    what: 'a variable of the shell that falls apart',
    script: 'shell',
    files: { 'src/base/unquoted.sh': 'rm -f $1\n' },
    named: /src\/base\/unquoted\.sh:1:7:.*SC2086/,
  },
  {
    what: 'a front end that goes past its door',
    script: 'arch',
    files: {
      'src/metrics/planted.ts': 'export const count = 3;\n',
      'src/cli/planted.ts': "export { count } from '../metrics/planted.ts';\n",
    },
    named: /front-ends-have-one-door: src\/cli\/planted\.ts/,
  },
  {
    what: 'a window that loads the engine at once',
    script: 'arch',
    files: {
      'src/compose/engine.ts': 'export const engine = 1;\n',
      'src/vscode/ui/planted.ts': "export { engine } from '../../compose/engine.ts';\n",
    },
    named: /a-window-loads-the-engine-late: src\/vscode\/ui\/planted\.ts/,
  },
];

/** ESLint names a file once, and below it each rule that it breaks. */
function ruleAt(name: string, rule: string): RegExp {
  return new RegExp(`/src/base/${name}\\.ts\\n(?: +.*\\n)*? +\\d+:\\d+ +error .* ${rule}\\n`);
}

/** Plants of one tool that stand in one tree. */
interface Group {
  readonly script: Plant['script'];
  readonly plants: readonly Plant[];
}

const scripts = [...new Set(plants.map(({ script }) => script))];
const groups: readonly Group[] = [
  ...scripts.map((script) => ({
    script,
    plants: plants.filter((plant) => plant.script === script && plant.isAlone !== true),
  })),
  ...plants
    .filter(({ isAlone }) => isAlone)
    .map((plant) => ({ script: plant.script, plants: [plant] })),
].filter((group) => group.plants.length > 0);

describe('npm run check', () => {
  const roots: string[] = [];
  after(() => {
    for (const root of roots) rmSync(root, { recursive: true, force: true });
  });

  const treeWith = (...additions: readonly Files[]): string => {
    const root = mkdtempSync(join(tmpdir(), 'planted-'));
    roots.push(root);
    for (const path of configuration)
      cpSync(join(repositoryRoot, path), join(root, path), { recursive: true });
    symlinkSync(join(repositoryRoot, 'node_modules'), join(root, 'node_modules'));
    for (const files of [{ ...cleanTree, 'package.json': manifestOfTree() }, ...additions])
      writeTree(root, files);
    return root;
  };

  it('passes a tree that keeps every rule', () => {
    const root = treeWith();
    for (const script of scripts) {
      const { status, output } = check(root, script);
      assert.equal(status, 0, `${script} fails the clean tree:\n${output}`);
    }
  });

  for (const { script, plants: planted } of groups)
    describe(`by ${script}`, () => {
      let result: Result;
      before(() => {
        result = check(treeWith(...planted.map(({ files }) => files)), script);
      });

      for (const { what, named } of planted)
        it(`fails ${what}`, () => {
          assert.notEqual(result.status, 0, 'it lets all pass');
          assert.match(result.output, named);
        });
    });

  it('runs each of these commands', () => {
    const check = readManifest().scripts['check'] ?? '';
    for (const script of scripts) assert.ok(check.includes(`npm run ${script}`));
  });
});

function writeTree(root: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

interface Result {
  readonly status: number | null;
  readonly output: string;
}

/** Runs the command of the manifest itself, as npm would. */
function check(root: string, script: Plant['script']): Result {
  const command = readManifest().scripts[script] ?? 'false';
  const path = [join(repositoryRoot, 'node_modules/.bin'), process.env['PATH'] ?? ''].join(
    delimiter,
  );
  const env = { ...process.env, PATH: path, FORCE_COLOR: '0' };
  const { status, stdout, stderr } = spawnSync(command, {
    cwd: root,
    shell: true,
    encoding: 'utf8',
    env,
  });
  return { status, output: stripVTControlCharacters(stdout + stderr) };
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
  const tools = [
    '@types/node',
    '@types/vscode',
    '@types/mocha',
    'typescript',
    'typescript-eslint',
    'eslint',
  ];
  const kept = [...tools, 'prettier', 'dependency-cruiser', 'knip'].map((name) => [
    name,
    devDependencies[name],
  ]);
  const checks = Object.entries(scripts).filter(([name]) =>
    plants.some((plant) => plant.script === name),
  );
  const manifest = {
    name: 'planted',
    type: 'module',
    scripts: Object.fromEntries(checks) as unknown,
    devDependencies: Object.fromEntries(kept) as unknown,
  };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}
