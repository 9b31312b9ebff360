import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { MachineSecrets } from '../../../src/compose/machineSecrets.ts';
import { secretStore } from '../../../src/storage/secretFiles.ts';
import { takeRenewed } from '../../../src/vscode/keepRunning/keepRunningSecrets.ts';
import { assertMode } from '../../fakes/modes.ts';
import { needs } from '../../setup/needs.ts';

describe('secrets that the background hands on', () => {
  let folder: string;
  let kept: Map<string, string>;
  beforeEach(async () => {
    folder = path.join(await mkdtemp(path.join(tmpdir(), 'helios-renewed-')), 'auth', 'renewed');
    kept = new Map();
  });
  afterEach(() => rm(path.resolve(folder, '../..'), { recursive: true, force: true }));

  const keys = {
    set: (name: string, value: string) => Promise.resolve(void kept.set(name, value)),
  };

  it('lie where only their owner can read them, and are taken by the next window', async () => {
    await takeRenewed(folder, keys);
    const keep = secretStore(folder);
    await keep('chatgpt', '{"refreshToken":"new"}');
    await keep('openai', 'gone');
    await keep('openai', undefined);
    assertMode(folder, 0o700);
    assertMode(path.join(folder, 'chatgpt'), 0o600);
    await takeRenewed(folder, keys);
    assert.deepEqual([...kept], [['chatgpt', '{"refreshToken":"new"}']]);
    assert.deepEqual(await readdir(folder), []);
  });

  needs('posix')(
    'stay until they are kept, and are not trusted when others could write them',
    async () => {
      await secretStore(folder)('chatgpt', 'new');
      const full = { set: () => Promise.reject(new Error('the storage is full')) };
      await assert.rejects(takeRenewed(folder, full), /full/);
      assert.deepEqual(await readdir(folder), ['chatgpt']);
      await writeFile(path.join(folder, 'openai'), 'planted', { mode: 0o666 });
      await assert.rejects(takeRenewed(folder, keys), /can be read by other users/);
      assert.equal(kept.has('openai'), false);
    },
  );

  it('are those of machines, too, for a vault that answers in place of the first', async () => {
    const vault = new Map<string, string>();
    const stored = (entries: Map<string, string>) => ({
      get: (key: string) => Promise.resolve(entries.get(key)),
      store: (key: string, value: string) => Promise.resolve(entries.set(key, value)),
      delete: (key: string) => Promise.resolve(entries.delete(key)),
    });
    const question = {
      machine: 'gpu1',
      host: { address: 'ada@gpu1', fingerprint: 'SHA256:abc' },
      kind: 'password',
      prompt: '',
    } as const;
    const { signal } = new AbortController();
    const window = new MachineSecrets(stored(vault), () => Promise.resolve('open sesame'));
    await window.answer(question, signal);
    assert.deepEqual(await window.entries('gpu1'), []);
    await window.reached('gpu1');
    const handed = new Map(await window.entries('gpu1'));
    assert.deepEqual([...handed.values()], ['open sesame']);
    assert.deepEqual(await window.entries('gpu2'), []);
    const nobody = new MachineSecrets(stored(handed), () => Promise.resolve(undefined));
    assert.equal(await nobody.answer(question, signal), 'open sesame');
    const host = { ...question.host, address: 'ada@gpu2' };
    assert.equal(await nobody.answer({ ...question, host }, signal), undefined);
  });
});
