import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { SecretQuestion } from '../../../src/machines/machinePrompts.ts';
import { MachineSecrets, type SecretVault } from '../../../src/compose/machineSecrets.ts';

const password: SecretQuestion = {
  machine: 'gpu1',
  host: { address: 'ada@gpu1', fingerprint: 'SHA256:abc' },
  kind: 'password',
  prompt: '',
};
const ofJumpHost: SecretQuestion = {
  ...password,
  host: { address: 'ada@gate', fingerprint: 'SHA256:def' },
};
const { signal } = new AbortController();

describe('secrets of machines', () => {
  const vaultOf = (map: Map<string, string>): SecretVault => ({
    get: (key) => Promise.resolve(map.get(key)),
    store: (key, value) => Promise.resolve(map.set(key, value)),
    delete: (key) => Promise.resolve(map.delete(key)),
  });
  const bed = (answers: (string | undefined)[], vault = new Map<string, string>()) => {
    const asked: string[] = [];
    const secrets = new MachineSecrets(vaultOf(vault), ({ kind }) => {
      asked.push(kind);
      return Promise.resolve(answers.shift());
    });
    return { secrets, asked, vault };
  };

  it('are asked once, and kept when the machine was reached', async () => {
    const { secrets, asked, vault } = bed(['good']);
    assert.equal(await secrets.answer(password, signal), 'good');
    assert.equal(vault.size, 0);
    await secrets.reached('gpu2');
    assert.equal(vault.size, 0);
    await secrets.reached('gpu1');
    assert.equal(await secrets.answer(password, signal), 'good');
    assert.equal(await bed([], vault).secrets.answer(password, signal), 'good');
    assert.equal(asked.length, 1);
  });

  it('are asked anew when what was kept is refused', async () => {
    const vault = bed(['old']);
    await vault.secrets.answer(password, signal);
    await vault.secrets.reached('gpu1');
    const { secrets, asked } = bed(['new'], vault.vault);
    assert.equal(await secrets.answer(password, signal), 'old');
    assert.equal(await secrets.answer(password, signal), 'new');
    await secrets.reached('gpu1');
    assert.equal(await secrets.answer(password, signal), 'new');
    assert.equal(asked.length, 1);
  });

  it('are not kept when nobody answers, or when they hold only once', async () => {
    const { secrets, vault } = bed([undefined, '123456']);
    assert.equal(await secrets.answer(password, signal), undefined);
    assert.equal(
      await secrets.answer({ ...password, kind: 'keyboard', prompt: 'Code' }, signal),
      '123456',
    );
    await secrets.reached('gpu1');
    assert.equal(vault.size, 0);
  });

  it('are forgotten with their machine', async () => {
    const { secrets, vault } = bed(['a', 'b', 'c']);
    await secrets.answer(password, signal);
    await secrets.answer({ ...password, kind: 'passphrase', prompt: 'Key' }, signal);
    const host = { ...password.host, address: 'ada@gpu2' };
    await secrets.answer({ ...password, machine: 'gpu2', host }, signal);
    await secrets.reached('gpu1');
    await secrets.reached('gpu2');
    await secrets.forget('gpu1', ['gpu2']);
    assert.ok([...vault.keys()].every((key) => key.includes('gpu2')));
    assert.equal(vault.size, 2);
  });

  it('of a jump host hold for every machine behind it, as long as there is one', async () => {
    const { secrets, asked, vault } = bed(['good']);
    await secrets.answer(ofJumpHost, signal);
    await secrets.reached('gpu1');
    const others = ['gpu2', 'gpu3'].map((machine) => ({ ...ofJumpHost, machine }));
    assert.deepEqual(await Promise.all(others.map((each) => secrets.kept(each))), ['good', 'good']);
    for (const { machine } of others) await secrets.reached(machine);
    assert.deepEqual(
      (await secrets.entries('gpu2')).map(([, value]) => value),
      ['good'],
    );
    await secrets.forget('gpu1', ['gpu2', 'gpu3']);
    await secrets.forget('gpu2', ['gpu3']);
    assert.equal(await secrets.answer({ ...ofJumpHost, machine: 'gpu3' }, signal), 'good');
    await secrets.forget('gpu3', []);
    assert.equal(vault.size, 0);
    assert.equal(asked.length, 1);
  });

  it('of an earlier version, which name no host, are asked for again and replaced', async () => {
    const former = 'helios.machine.gpu1.password.';
    const stored = new Map([
      [former, 'old'],
      ['helios.machine.gpu1', JSON.stringify([former])],
    ]);
    const { secrets, vault } = bed(['new'], stored);
    assert.deepEqual(await secrets.entries('gpu1'), [[former, 'old']]);
    assert.equal(await secrets.kept(password), undefined);
    assert.equal(await secrets.answer(password, signal), 'new');
    await secrets.reached('gpu1');
    assert.equal(vault.has(former), false);
    assert.equal(await secrets.answer(password, signal), 'new');
  });
});
