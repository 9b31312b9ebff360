import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { LocalMachine } from '../../../../src/machines/local/localMachine.ts';
import type { Access } from '../../../../src/permissions/access.ts';
import { createGate } from '../../../../src/permissions/gate.ts';
import { builtInMandate } from '../../../../src/permissions/mandate/mandate.ts';
import { commandAccess, writeAccess } from '../../../../src/tools/parameters/accesses.ts';
import { accessVerdict } from '../../../../src/tools/parameters/commandVerdict.ts';
import { outsideMandate } from '../../../../src/tools/parameters/mandateCoverage.ts';
import { accessesOf, findPrograms } from '../../../../src/tools/runs/environmentPrograms.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';
import { pathWithoutIt } from '../../../setup/python.ts';

interface Everyday {
  readonly isInside: boolean;
  readonly tool: string;
  readonly args: Readonly<Record<string, string>>;
}

const calls = readFileSync(new URL('everyday.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Everyday);

describe('the built-in mandate', function () {
  this.timeout(240_000);
  const folder = scratchFolder();
  const never = new AbortController().signal;
  let machine: LocalMachine;
  const pathOfTests = process.env['PATH'];
  afterEach(() => {
    process.env['PATH'] = pathOfTests;
  });

  beforeEach(async () => {
    const workFolder = path.join(folder(), 'lab', 'work');
    for (const each of [
      'data',
      'src',
      'scripts',
      'configs',
      'runs/a',
      'logs',
      '.venv/bin',
      '../../tmp/x',
    ])
      await mkdir(path.join(workFolder, each), { recursive: true });
    for (const each of [
      'train.py',
      'scripts/run.sh',
      'configs/base.yaml',
      'runs/a/metrics.json',
      '.env',
    ])
      await writeFile(path.join(workFolder, each), 'x\n');
    await symlink('/usr/bin/python3', path.join(workFolder, '.venv/bin/python'));
    machine = new LocalMachine({ runsFolder: path.join(folder(), 'home', 'runs'), workFolder });
  });

  const accessesOfCall = async ({ tool, args }: Everyday): Promise<readonly Access[]> => {
    const machines = { get: () => machine, list: () => [] };
    const { command, path: file, url } = args;
    if (command !== undefined) return [commandAccess('local', command)];
    if (file !== undefined)
      return [await writeAccess(machines, { machineId: 'local', path: file })];
    assert.ok(url, tool);
    return [{ kind: 'host', host: new URL(url).host }];
  };

  /** The scratch folder is itself below `/tmp`, which the mandate grants. */
  const inScratch = (text: string): string =>
    text.replaceAll(/(?<![\w.])\/tmp(?=\/|$|\s)/g, path.join(folder(), 'tmp'));

  const decide = async (given: Everyday, own?: readonly Access[]) => {
    const call = JSON.parse(JSON.stringify(given), (_key, value: unknown) =>
      typeof value === 'string' ? inScratch(value) : value,
    ) as Everyday;
    const machines = { get: () => machine, list: () => [] };
    const inForce = {
      mandate: { ...builtInMandate, folders: builtInMandate.folders.map(inScratch) },
      isGitGuarded: true,
    };
    const gate = createGate({
      mode: () => 'mandate',
      ask: () => assert.fail('nobody is asked'),
      clock: new ManualClock(),
      judge: (access) => accessVerdict(machines, access, { inForce }),
      outside: (each) => outsideMandate(machines, each, inForce),
    });
    const accesses = own ?? (await accessesOfCall(call));
    const about = { callId: 'c', title: '', isOwnData: false, detail: '' };
    return gate.decide({ ...about, tool: call.tool, effect: 'execute', accesses }, never);
  };

  const decidedOtherwise = async (isInside: boolean): Promise<readonly string[]> => {
    const asked = calls.filter((each) => each.isInside === isInside);
    const decided = await Promise.all(asked.map((call) => decide(call)));
    return decided.flatMap(({ isAllowed, why }, at) =>
      isAllowed === isInside ? [] : [`${JSON.stringify(asked[at]?.args)}: ${why}`],
    );
  };

  it('covers the calls of everyday research, but for two in a hundred', async () => {
    const count = calls.filter(({ isInside }) => isInside).length;
    assert.ok(count >= 100);
    const refused = await decidedOtherwise(true);
    assert.ok(refused.length <= count * 0.02, `\n${refused.join('\n')}`);
  });

  it('covers the programs that record the environment', async () => {
    const { workFolder } = machine;
    // That of the tests is in no folder that a user has programs in.
    process.env['PATH'] = pathWithoutIt;
    for (const python of [`${workFolder}/.venv/bin/python`, 'python3']) {
      const own = accessesOf('local', await findPrograms(machine, workFolder, python));
      assert.equal(own.length, 2);
      const call = { isInside: true, tool: 'env_snapshot', args: {} };
      assert.equal((await decide(call, own)).why, 'the mandate covers it');
    }
  });

  it('covers no call that leaves it', async () => {
    assert.ok(calls.filter(({ isInside }) => !isInside).length >= 60);
    assert.deepEqual(await decidedOtherwise(false), []);
  });
});
