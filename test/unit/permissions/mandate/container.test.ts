import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Access } from '../../../../src/permissions/access.ts';
import { builtInMandate } from '../../../../src/permissions/mandate/mandate.ts';
import { outsideMandate } from '../../../../src/tools/parameters/mandateCoverage.ts';

const machines = {
  list: () => [
    { id: 'box', kind: 'container' },
    { id: 'gpu1', kind: 'ssh' },
  ],
  get(id: string): never {
    throw new Error(`${id} is not asked`);
  },
} as unknown as Parameters<typeof outsideMandate>[0];
const onMachine = (machineId: string): readonly Access[] => [
  { kind: 'command', machineId, command: 'rm -rf out' },
  { kind: 'write', machineId, path: '/etc/hosts' },
];
const outside = (accesses: readonly Access[], container: string) =>
  outsideMandate(
    machines,
    { accesses },
    { mandate: builtInMandate, isGitGuarded: true, container },
  );

describe('a container that the user chose for a folder', () => {
  it('is part of the mandate: commands, and files anywhere in it', async () => {
    assert.equal(await outside(onMachine('box'), 'box'), undefined);
  });

  it('takes neither other machines nor the network along', async () => {
    assert.notEqual(await outside(onMachine('local'), 'box'), undefined);
    assert.match(
      (await outside([...onMachine('box'), { kind: 'host', host: 'example.org' }], 'box')) ?? '',
      /it contacts example\.org/,
    );
  });

  it('does not count when the machine of that name is no container', async () => {
    assert.notEqual(await outside(onMachine('gpu1'), 'gpu1'), undefined);
  });
});
