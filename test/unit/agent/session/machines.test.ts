import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { afterEach, describe, it } from 'mocha';
import { systemClock, type Clock } from '../../../../src/base/clock.ts';
import { MachineFailure } from '../../../../src/machines/machine.ts';
import type { MachineEntry } from '../../../../src/machines/machineEntry.ts';
import { ScriptedModel, type ScriptedReply } from '../../../fakes/scriptedModel.ts';
import { standIn } from '../../../fakes/scriptedMachine.ts';
import { eventsOf, testEngine, type TestEngine } from '../../../fakes/testEngine.ts';

const gpu1: MachineEntry = { id: 'gpu1', kind: 'ssh', host: 'gpu1.lab' };
const launch = {
  name: 'remote_exec_background',
  input: { machine_id: 'gpu1', command: 'echo loss=0.25', label: 'a' },
};
const sleep = {
  name: 'sleep',
  input: {
    reason: 'the run',
    wake_conditions: [{ type: 'process_exit', machine_id: 'gpu1', run: 1 }],
  },
};
const blocked = { name: 'finish', input: { outcome: 'blocked', summary: 'Enough.' } };

/** The two seconds that a machine has for its answer are over at once. */
const impatient: Clock = {
  now: () => systemClock.now(),
  after: (delayMs, callback) => systemClock.after(delayMs === 2_000 ? 0 : delayMs, callback),
};

describe('a session and its machines', () => {
  let bed: TestEngine | undefined;
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
  });

  const begin = async (
    replies: ScriptedReply[],
    describe?: () => Promise<string>,
    clock = systemClock,
  ): Promise<ScriptedModel> => {
    const model = new ScriptedModel(replies);
    bed = await testEngine(model, {
      clock,
      createMachine: (entry) => standIn(entry, `${bed?.work}/${entry.id}`, describe),
    });
    await bed.engine.machines.add(gpu1);
    return model;
  };
  const prompt = (model: ScriptedModel): string => JSON.stringify(model.requests[0]?.system);

  it('starts beside a machine that never answers, and says so', async () => {
    const model = await begin([[blocked]], () => new Promise(() => undefined), impatient);
    const session = await bed!.start();
    await session.ended;
    assert.match(prompt(model), /- gpu1: not reachable: .*>no answer within 2 s/);
    assert.match(prompt(model), /- local: this computer/);
  });

  it('says why a machine cannot be reached', async () => {
    const why = (): Promise<string> =>
      Promise.reject(new MachineFailure('auth', 'gpu1.lab refused every key'));
    const model = await begin([[blocked]], why);
    await (
      await bed!.start()
    ).ended;
    assert.match(prompt(model), /- gpu1: not reachable: .*>gpu1.lab refused every key/);
  });

  it('launches on a machine that was added while it worked, and is taken up again without it', async () => {
    const model = await begin([[launch], [sleep], [blocked]]);
    await mkdir(`${bed!.work}/gpu1`, { recursive: true });
    const session = await bed!.start();
    await session.ended;
    assert.equal(eventsOf(session, 'run.ended')[0]?.verdict.kind, 'ok');
    assert.match(prompt(model), /- gpu1: .*>gpu1.lab · 8 CPUs/);
    await bed!.engine.machines.remove('gpu1');
    bed = await bed!.restart(new ScriptedModel([[blocked]]));
    const again = await bed.engine.sessions.resume(session.id);
    await again.say('go on');
    await again.ended;
    assert.deepEqual(
      [...again.state.runs.values()].map((run) => run.verdict?.kind),
      ['ok'],
    );
  });
});
