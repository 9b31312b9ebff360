/** Runs the script `audit` of the project against a registry of the test. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { scratchFolder } from '../../fakes/scratch.ts';
import { repositoryRoot } from '../../setup/paths.ts';

const advisory = {
  id: 1,
  url: 'https://example.org/advisory',
  title: 'Reads any file',
  severity: 'low',
  vulnerable_versions: '<2.0.0',
  cwe: [],
  cvss: { score: 3, vectorString: null },
};

/** What the registry has about the only package of the project. */
const leftish = {
  name: 'leftish',
  'dist-tags': { latest: '1.0.0' },
  versions: { '1.0.0': { name: 'leftish', version: '1.0.0', dist: {} } },
};

describe('npm run audit', () => {
  const folder = scratchFolder();
  let registry: Server;
  let answer: { readonly status: number; readonly body: unknown };

  beforeEach(async () => {
    registry = createServer(({ method }, response) => {
      const { status, body } = method === 'POST' ? answer : { status: 200, body: leftish };
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
    registry.listen(0, '127.0.0.1');
    await once(registry, 'listening');
  });
  afterEach(() => {
    registry.closeAllConnections();
    registry.close();
  });

  async function audit(status: number, body: unknown): Promise<{ code: unknown; out: string }> {
    answer = { status, body };
    const { scripts } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const project = { name: 'p', version: '1.0.0', dependencies: { leftish: '1.0.0' } };
    const packages = { '': project, 'node_modules/leftish': { version: '1.0.0' } };
    const write = (name: string, value: object): void =>
      writeFileSync(join(folder(), name), JSON.stringify(value));
    write('package.json', { ...project, scripts: { audit: scripts['audit'] } });
    write('package-lock.json', { ...project, lockfileVersion: 3, requires: true, packages });
    const { port } = registry.address() as AddressInfo;
    const npm = spawn('npm', ['run', 'audit'], {
      cwd: folder(),
      env: {
        ...process.env,
        npm_config_registry: `http://127.0.0.1:${port}/`,
        npm_config_cache: join(folder(), 'cache'),
        npm_config_fetch_retries: '0',
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [out, closed] = await Promise.all([text(npm.stdout), once(npm, 'close')]);
    return { code: closed[0], out };
  }

  it('fails on a finding of any severity, and names it', async () => {
    const { code, out } = await audit(200, { leftish: [advisory] });
    assert.equal(code, 1, out);
    assert.match(out, /leftish[\s\S]*Reads any file/);
  });

  it('passes without a finding', async () => {
    const { code, out } = await audit(200, {});
    assert.equal(code, 0, out);
    assert.match(out, /found 0 vulnerabilities/);
  });

  it('fails where the registry does not answer the question', async () =>
    assert.equal((await audit(405, {})).code, 1));
});
