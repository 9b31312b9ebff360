import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { LocalMachine } from '../../../src/machines/local/localMachine.ts';
import { MachineFailure, type ExecOutcome, type Machine } from '../../../src/machines/machine.ts';
import { probe } from '../../../src/runs/probe.ts';
import type { RunProcess } from '../../../src/runs/run.ts';
import { scratchFolder } from '../../fakes/scratch.ts';

const process: RunProcess = { pid: 77, startTime: '5000', bootId: 'boot', startedMs: 1 };

/** A line of `/proc/77/stat`. */
const statOf = (state: string, startTime: number | string, name = 'python3'): string =>
  `77 (${name}) ${state} 1 77 77 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 ${startTime} 1 1\n`;
const bootIdFile = '/proc/sys/kernel/random/boot_id';

describe('whether the process of a run is there', () => {
  const scratch = scratchFolder();
  const machineWith = (files: Readonly<Record<string, string>>): Machine => {
    const machine = new LocalMachine({
      runsFolder: join(scratch(), 'runs'),
      workFolder: scratch(),
    });
    const readFile = (path: string): Promise<Uint8Array> => {
      const text = files[path];
      if (text === undefined) return Promise.reject(new MachineFailure('missing', path));
      if (text === 'silence') return Promise.reject(new MachineFailure('unreachable', path));
      return Promise.resolve(Buffer.from(text));
    };
    return Object.assign(machine, { readFile });
  };
  const files = (stat: string | undefined, more: Readonly<Record<string, string>> = {}) => ({
    [bootIdFile]: 'boot\n',
    '/proc/1/stat': statOf('S', 10),
    ...(stat !== undefined && { '/proc/77/stat': stat }),
    ...more,
  });
  const noProcess = {
    kind: 'gone',
    why: 'its process is gone and left no exit record',
    isFinal: false,
  };
  const restarted = { kind: 'gone', why: 'its machine was restarted', isFinal: true };
  const stopped = { kind: 'gone', why: 'its container was stopped', isFinal: true };

  const rows: readonly [what: string, found: Readonly<Record<string, string>>, presence: object][] =
    [
      ['runs', files(statOf('R', 5000)), { kind: 'alive' }],
      ['sleeps', files(statOf('D', 5000)), { kind: 'alive' }],
      ['is stopped', files(statOf('T', 5000)), { kind: 'alive' }],
      ['has a name made to be misread', files(statOf('S', 5000, 'a) Z 1 (b')), { kind: 'alive' }],
      ['is a zombie', files(statOf('Z', 5000)), noProcess],
      ['is dead', files(statOf('X', 5000)), noProcess],
      ['is not there', files(undefined), noProcess],
      ['is a later one of the same pid', files(statOf('S', 5001)), noProcess],
      ['is of another boot', files(statOf('S', 5000), { [bootIdFile]: 'other\n' }), restarted],
      [
        'was in a container that is a younger one now',
        files(undefined, { '/proc/1/stat': statOf('S', 5001) }),
        stopped,
      ],
      [
        'began with its container',
        files(undefined, { '/proc/1/stat': statOf('S', 5000) }),
        noProcess,
      ],
    ];
  for (const [what, found, presence] of rows)
    it(`is told where it ${what}`, async () =>
      assert.deepEqual(await probe(machineWith(found), process), presence));

  it('is told without a boot id, on either side', async () => {
    const { [bootIdFile]: _, ...unnamed } = files(statOf('S', 5000));
    assert.deepEqual(await probe(machineWith(unnamed), process), { kind: 'alive' });
    const early = { ...process, bootId: '' };
    assert.deepEqual(await probe(machineWith(files(statOf('S', 5000))), early), { kind: 'alive' });
  });

  it('is not told by a machine that does not answer', async () => {
    for (const path of [bootIdFile, '/proc/77/stat'])
      await assert.rejects(
        probe(machineWith(files(statOf('S', 5000), { [path]: 'silence' })), process),
        {
          reason: 'unreachable',
        },
      );
  });

  it('is told by ps where there is no /proc', async () => {
    const startTime = 'Sun Nov 22 10:00:00 2026';
    const asked: string[] = [];
    const saying = (stdout: string, outcome: ExecOutcome = { kind: 'exited', code: 0 }): Machine =>
      Object.assign(machineWith({}), {
        exec: (command: string) => {
          asked.push(command);
          return Promise.resolve({
            stdout,
            stderr: '',
            omittedBytes: { stdout: 0, stderr: 0 },
            outcome,
          });
        },
      });
    const found = { ...process, startTime };
    assert.deepEqual(await probe(saying(` ${startTime} \n`), found), { kind: 'alive' });
    assert.deepEqual(await probe(saying('Sun Nov 22 10:00:01 2026\n'), found), noProcess);
    assert.deepEqual(await probe(saying('', { kind: 'exited', code: 1 }), found), noProcess);
    await assert.rejects(probe(saying('', { kind: 'timed_out', afterMs: 10_000 }), found), {
      reason: 'timeout',
    });
    assert.match(asked[0] ?? '', /-p 77$/);
  });
});
