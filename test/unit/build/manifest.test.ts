import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';
import { configurationPage } from '../../../src/build/configurationPage.ts';
import { withSettings } from '../../../src/build/manifest.ts';

const page = readFileSync('docs/configuration.md', 'utf8');
const advice = 'run: npm run manifest';

describe('what is made from declarations', () => {
  it('is in package.json as it is declared', () => {
    const text = readFileSync('package.json', 'utf8');
    assert.deepEqual(JSON.parse(text), JSON.parse(withSettings(text)), advice);
    assert.equal(text, withSettings(text), advice);
  });

  it('is in docs/configuration.md as it is declared', () => {
    assert.equal(page, configurationPage(), advice);
  });
});

describe('the environment', () => {
  /** Variables that the system or another program sets, and no user sets for Helios. */
  const ofSystem = [
    'CODESPACES',
    'ELECTRON_RUN_AS_NODE',
    'HOME',
    'INIT_CWD',
    'PATH',
    'REMOTE_CONTAINERS',
    'SHELL',
    'SSH_CONNECTION',
    'SSH_TTY',
    'TERM',
    'TMPDIR',
    'WSL_DISTRO_NAME',
    'XDG_RUNTIME_DIR',
  ];

  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.(?:ts|mjs)$/.test(file),
  );
  const names = sources.flatMap((file) =>
    [
      ...readFileSync(path.join('src', file), 'utf8').matchAll(/\benv(?:\.|\[')([A-Z][A-Z0-9_]+)/g),
    ].map(([, name = '']) => name),
  );

  it('is documented, variable by variable', () => {
    assert.ok(names.includes('NO_COLOR'));
    const missing = [...new Set(names)].filter(
      (name) => !ofSystem.includes(name) && !page.includes(`- \`${name}\``),
    );
    assert.deepEqual(missing, [], 'declare them in src/presentation/settings/environment.ts');
  });
});
