import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import {
  addHostKey,
  checkHostKey,
  fingerprintOf,
  knownKeyTypes,
} from '../../../../src/machines/ssh/knownHosts.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';

describe('known hosts', () => {
  const folder = scratchFolder();
  const file = (): string => join(folder(), 'known_hosts');
  const gpu1 = { host: 'gpu1', port: 22 };

  /** A key as it is shown on the wire. */
  function key(type: string, fill: number): Buffer {
    const name = Buffer.from(type);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(name.length);
    return Buffer.concat([length, name, Buffer.alloc(36, fill)]);
  }
  const ed = key('ssh-ed25519', 1);
  const write = (...lines: string[]): void =>
    writeFileSync(file(), `# comment\n\n${lines.join('\n')}\n`);
  const kind = async (name = gpu1, shown = ed): Promise<string> =>
    (await checkHostKey([file()], name, shown)).kind;

  it('knows names, lists, patterns, ports and several keys', async () => {
    const other = key('ssh-rsa', 2);
    write(
      `gpu1,10.0.0.1 ssh-rsa ${other.toString('base64')}`,
      `gpu* ssh-ed25519 ${ed.toString('base64')} comment here`,
      `[gate]:2200 ssh-ed25519 ${ed.toString('base64')}`,
    );
    assert.equal(await kind(), 'known');
    assert.equal(await kind({ host: 'GPU1', port: 22 }, other), 'known');
    assert.equal(await kind({ host: 'gate', port: 2200 }), 'known');
    assert.equal(await kind({ host: 'gate', port: 22 }), 'unknown');
    assert.deepEqual(await knownKeyTypes([file()], gpu1), ['ssh-rsa', 'ssh-ed25519']);
  });

  it('knows hashed names, as OpenSSH writes them', async () => {
    write(
      `gpu1 ssh-ed25519 ${ed.toString('base64')}`,
      `[gpu1]:22022 ssh-ed25519 ${ed.toString('base64')}`,
    );
    execFileSync('ssh-keygen', ['-q', '-H', '-f', file()], { stdio: 'ignore' });
    assert.doesNotMatch(readFileSync(file(), 'utf8'), /gpu1/);
    assert.equal(await kind(), 'known');
    assert.equal(await kind({ host: 'gpu1', port: 22022 }), 'known');
    assert.equal(await kind({ host: 'gpu2', port: 22 }), 'unknown');
    assert.equal(await kind(gpu1, key('ssh-ed25519', 9)), 'changed');
  });

  it('refuses a changed key, also one of another type, and says where the old one is', async () => {
    write(`gpu1 ssh-ed25519 ${ed.toString('base64')}`);
    const verdict = await checkHostKey([file()], gpu1, key('ssh-ed25519', 7));
    assert.ok(verdict.kind === 'changed');
    assert.match(verdict.why, /SHA256:.*known_hosts:3 has another key.*ssh-keygen -R 'gpu1'/s);
    assert.equal(await kind(gpu1, key('ecdsa-sha2-nistp256', 1)), 'changed');
  });

  it('refuses a revoked key, and does not take an authority for a key', async () => {
    write(
      `gpu1 ssh-ed25519 ${ed.toString('base64')}`,
      `@revoked * ssh-ed25519 ${ed.toString('base64')}`,
    );
    assert.equal(await kind(), 'revoked');
    write(`@cert-authority gpu* ssh-ed25519 ${ed.toString('base64')}`);
    const verdict = await checkHostKey([file()], gpu1, ed);
    assert.ok(verdict.kind === 'unknown');
    assert.match(verdict.note, /known_hosts:3.*certificate/);
  });

  it('adds keys without harm to what is there, readable for OpenSSH', async () => {
    const name = { host: '::1', port: 2200 };
    assert.equal(await kind(name), 'unknown');
    await addHostKey(join(folder(), 'new/known_hosts'), name, ed);
    writeFileSync(file(), `gpu1 ssh-ed25519 ${ed.toString('base64')}`);
    await Promise.all([
      addHostKey(file(), name, ed),
      addHostKey(file(), { host: 'gpu3', port: 22 }, ed),
    ]);
    for (const known of [gpu1, name, { host: 'gpu3', port: 22 }])
      assert.equal(await kind(known), 'known');
    assert.equal(
      readFileSync(join(folder(), 'new/known_hosts'), 'utf8').split(' ')[0],
      '[::1]:2200',
    );
    assert.match(fingerprintOf(ed), /^SHA256:[A-Za-z0-9+/]{43}$/);
  });
});
