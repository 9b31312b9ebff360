import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { MachineEntry } from '../../../src/machines/machineEntry.ts';
import { parseMachineWords, remoteAuthority, sshArguments } from '../../../src/vscode/present/machineWords.ts';

const gpu1: MachineEntry = { id: 'gpu1', kind: 'ssh', host: 'gpu1.lab', user: 'ada', port: 2222 };
const expand = (path: string): string => path.replace('~', '/home/me');

describe('words about machines', () => {
  it('reads what is typed after /machine', () => {
    assert.deepEqual(parseMachineWords('', []), { action: 'list' });
    assert.deepEqual(parseMachineWords('list', []), { action: 'list' });
    assert.deepEqual(parseMachineWords(' rm  gpu1 ', []), { action: 'rm', id: 'gpu1' });
    assert.deepEqual(parseMachineWords('test gpu1', []), { action: 'test', id: 'gpu1' });
    assert.deepEqual(parseMachineWords('add gpu1 ada@gpu1.lab:2222', []), { action: 'add', entry: gpu1 });
    assert.deepEqual(parseMachineWords('add --key=~/.ssh/k g lab --auth key', ['lab']), {
      action: 'add',
      entry: { id: 'g', kind: 'ssh', alias: 'lab', auth: 'key', keyPath: '~/.ssh/k' },
    });
  });

  const refused = [
    'add gpu1',
    'add',
    'rm',
    'rm a b',
    'list all',
    'drop gpu1',
    'add a b c',
    'add a b --key',
    'add a b --port 3',
    'add a b --auth magic',
    'add a b:c',
  ];
  for (const text of refused)
    it(`refuses "${text}"`, () => {
      assert.throws(() => parseMachineWords(text, []), { reason: 'user', action: /\S/ });
    });

  it('tells ssh where to go, and where to start', () => {
    assert.deepEqual(sshArguments(gpu1, expand), ['-p', '2222', '--', 'ada@gpu1.lab']);
    const more: MachineEntry = { id: 'a', kind: 'ssh', alias: 'lab', keyPath: '~/k', workFolder: "~/it's" };
    assert.deepEqual(sshArguments(more, expand), [
      '-i',
      '/home/me/k',
      '-t',
      '--',
      'lab',
      `cd ~/'it'\\''s'; exec "$SHELL" -l`,
    ]);
  });

  it('names the host of a Remote-SSH window', () => {
    assert.equal(remoteAuthority(gpu1), 'ssh-remote+ada@gpu1.lab:2222');
    assert.equal(remoteAuthority({ id: 'a', kind: 'ssh', host: '::1', port: 22 }), 'ssh-remote+[::1]:22');
    assert.equal(remoteAuthority({ id: 'a', kind: 'ssh', alias: 'lab' }), 'ssh-remote+lab');
  });
});
