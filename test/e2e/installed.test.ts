import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { startVsCode, type VsCode } from '../setup/codeServer.ts';
import { packagePath } from '../setup/paths.ts';
import { Workbench } from './workbench.ts';

/** What the VSIX may hold: each is there for a reason a user would see. */
const needed = [
  /^\.vsixmanifest$/,
  /^package\.json$/,
  /^(readme|changelog)\.md$/i,
  /^LICENSE\.txt$/,
  /^dist\/((extension|engine|background)\.cjs|(page|pattern)Worker\.mjs|(sql-wasm|web-tree-sitter|tree-sitter-bash)\.wasm|(machines|project)\.schema\.json)$/,
  // What they share, and what only a call needs; not the command line.
  /^dist\/(?!onThisComputer)[\w-]+-[0-9A-Z]{8}\.cjs$/,
  /^dist\/webview\/[^/]+\/[^/]+\.(js|css|ttf)$/,
  /^media\/([^/]+\/)*[^/]+\.(svg|png|md|py|txt|json)$/,
  /^skills\/[^/]+\/SKILL\.md$/,
];

describe('the installed VSIX', () => {
  let folder: string;
  let vscode: VsCode;
  let workbench: Workbench;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'workspace-'));
    vscode = await startVsCode({ folder, extensionVsix: packagePath });
    workbench = await Workbench.open(vscode);
  });

  after(async () => {
    await workbench?.close();
    await vscode?.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  it('holds only what the extension needs', async () => {
    const files = await installedFiles(vscode.extensionsFolder);
    assert.deepEqual(
      files.filter((path) => !needed.some((pattern) => pattern.test(path))),
      [],
    );
    for (const path of [
      'package.json',
      'LICENSE.txt',
      'dist/extension.cjs',
      'dist/webview/metrics/main.js',
      'dist/webview/session/main.js',
      'dist/webview/session/style.css',
      'dist/engine.cjs',
      'dist/background.cjs',
      'dist/sql-wasm.wasm',
      'dist/web-tree-sitter.wasm',
      'dist/tree-sitter-bash.wasm',
      'dist/machines.schema.json',
      'dist/project.schema.json',
      'media/icon.png',
    ]) {
      assert.ok(files.includes(path), `${path} is missing`);
    }
  });

  it('activates and says nothing on the console', async () => {
    // Tall enough for the whole list: rows outside of the window are not drawn.
    await workbench.page.setViewportSize({ width: 1440, height: 4000 });
    await workbench.command('Developer: Show Running Extensions');
    const row = workbench.page.locator('.runtime-extensions-editor .monaco-list-row', {
      hasText: 'Helios',
    });
    const text = await workbench.eventually(
      async () => (await row.allInnerTexts()).join(' '),
      (shown) => /Activation: \d+ms/.test(shown),
    );
    assert.doesNotMatch(text, /uncaught|unresponsive/i);
    assert.deepEqual(workbench.consoleErrors(), []);
    await workbench.page.setViewportSize({ width: 1440, height: 900 });
  });

  it('comes back after its extension host has been killed', async () => {
    const [former] = vscode.extensionHostPids();
    await workbench.killExtensionHost();
    const alive = await workbench.eventually(
      () => Promise.resolve(vscode.extensionHostPids()),
      (pids) => pids.length > 0,
    );
    assert.ok(former !== undefined && !alive.includes(former));
  });

  it('comes back after a reload of the window', async () => {
    const before = vscode.extensionHostPids();
    await workbench.reload();
    assert.ok(vscode.extensionHostPids().some((pid) => !before.includes(pid)));
  });
});

async function installedFiles(extensionsFolder: string): Promise<readonly string[]> {
  const [name] = (await readdir(extensionsFolder)).filter((entry) =>
    entry.startsWith('helios.helios-research-'),
  );
  assert.ok(name, 'VS Code did not install the VSIX');
  const root = join(extensionsFolder, name);
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}
