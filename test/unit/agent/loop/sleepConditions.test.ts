/** Conditions of a sleep are judged as they will run, whatever spaces the request has. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { usualPaths } from '../../../../src/permissions/pathRules.ts';
import { readablePath } from '../../../../src/tools/parameters/pathAccesses.ts';
import { ScriptedModel } from '../../../fakes/scriptedModel.ts';
import { eventsOf, testEngine } from '../../../fakes/testEngine.ts';
import { localOnly } from '../../tools/machineTools.harness.ts';

const token = 'https-user-ada-pw-hunter2secret';

describe('conditions of a sleep and the path rules', () => {
  let folder = '';
  let key = '';
  const work = (name: string): string => path.join(folder, 'work', name);
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'helios-conditions-'));
    await mkdir(work(''), { recursive: true });
    key = path.join(folder, '.git-credentials');
    await writeFile(key, `${token},b\n1,2\n`);
    await symlink(key, work('link.csv'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const metric = (machineId: string, source: object) => ({
    type: 'metric',
    machine_id: machineId,
    source,
    field: 'nope',
    comparator: '<',
    threshold: 1,
  });
  const file = (name: string, machineId = 'local') =>
    metric(machineId, { type: 'csv_file', path: name });
  const command = (machineId: string) =>
    metric(machineId, { type: 'command', command: `cat ${key}` });

  async function refusals(mode: 'allow' | 'ask', conditions: readonly object[]) {
    const sleeps = conditions.map((condition) => [
      {
        name: 'sleep',
        input: { reason: 'r', wake_conditions: [condition], deadline_minutes: 0.0001 },
      },
    ]);
    const quit = [{ name: 'finish', input: { outcome: 'blocked', summary: 'enough' } }];
    const model = new ScriptedModel([...sleeps, quit]);
    const bed = await testEngine(model, { folder, settings: { permissionMode: mode } });
    const session = await bed.start();
    await session.ended;
    const refused = eventsOf(session, 'permission.decided').filter((each) => !each.isAllowed);
    assert.doesNotMatch(JSON.stringify(model.requests), new RegExp(token));
    await bed.engine.close();
    return refused.map(({ why }) => why);
  }

  it('denies a command and a file also with spaces around them, in every mode', async () => {
    const conditions = [
      command(' local'),
      file(' link.csv'),
      file('link.csv '),
      file('link.csv', ' local '),
    ];
    for (const mode of ['allow', 'ask'] as const) {
      const found = await refusals(mode, conditions);
      assert.equal(found.length, conditions.length, found.join('\n'));
      for (const why of found) assert.match(why, /credentials/);
    }
  });

  it('denies a command on a machine that does not exist', async () => {
    const [why] = await refusals('allow', [command('gpu9')]);
    assert.match(why ?? '', /cannot be judged: .*gpu9.*no mode allows/);
  });

  it('judges a file again before each read', async () => {
    const machine = localOnly(work('')).get('local');
    const read = (name: string, approved: readonly string[] = []) =>
      readablePath({ machine, path: work(name), approved }, usualPaths);
    await writeFile(work('m.csv'), 'loss\n1\n');
    assert.equal(await read('m.csv'), work('m.csv'));
    await unlink(work('m.csv'));
    await symlink(key, work('m.csv'));
    await assert.rejects(read('m.csv'), /no call may use/);
    await writeFile(work('.env'), 'x\n1\n');
    await assert.rejects(read('.env'), /needs an approval/);
    assert.equal(await read('.env', [work('.env')]), work('.env'));
  });
});
