import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'mocha';
import { systemClock } from '../../src/base/clock.ts';
import { LocalMachine } from '../../src/machines/local/localMachine.ts';
import type { CreateMachine } from '../../src/machines/list/machineRegistry.ts';
import { SlurmMachine } from '../../src/machines/slurm/slurmMachine.ts';
import { until } from '../fakes/scratch.ts';
import { ScriptedModel } from '../fakes/scriptedModel.ts';
import { TestSlurm } from '../fakes/slurm.ts';
import { eventsOf, testEngine, type TestEngine } from '../fakes/testEngine.ts';

const quit = [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }];
const untilOver = {
  name: 'sleep',
  input: { reason: 'r', wake_conditions: [{ type: 'process_exit', sweep: 's1' }] },
};
const command = 'for step in 1 2 3; do echo "step=$step loss={i}.5"; sleep 0.5; done; exit {code}';

describe('a sweep on a Slurm cluster', function () {
  this.timeout(240_000);
  let slurm: TestSlurm | undefined;
  let bed: TestEngine | undefined;
  before(async () => {
    slurm = await TestSlurm.start();
  });
  after(async () => {
    await bed?.dispose();
    await slurm?.dispose();
  });

  it('is one job array of the session, which another process goes on with', async () => {
    assert.ok(slurm);
    const { folder, env } = slurm;
    const place = {
      runsFolder: path.join(folder, 'sweep/runs'),
      workFolder: path.join(folder, 'sweep'),
    };
    mkdirSync(place.runsFolder, { recursive: true });
    const createMachine: CreateMachine = (entry) => {
      assert.ok(entry.kind === 'slurm');
      const login = new LocalMachine({ ...place, env: { ...process.env, ...env } });
      const machine = new SlurmMachine({ entry, login, ...place, clock: systemClock });
      return Object.assign(machine, { dispose: () => undefined });
    };
    const points = Array.from({ length: 8 }, (_, i) => ({ i: i + 1, code: i === 4 ? 3 : 0 }));
    const call = {
      command_template: command,
      points,
      machines: ['hpc'],
      max_parallel: 2,
      metric_names: ['loss'],
    };
    bed = await testEngine(new ScriptedModel([[{ name: 'sweep', input: call }], [untilOver]]), {
      createMachine,
    });
    await bed.engine.machines.add({ id: 'hpc', kind: 'slurm' });
    const first = await bed.start();
    const ended = (session = first): number =>
      [...session.state.runs.values()].filter(({ verdict }) => verdict !== undefined).length;
    await until('two are over', () => ended() >= 2, 60_000);
    const model = new ScriptedModel([
      [{ name: 'kill_task', input: { run: 8, grace_seconds: 1 } }, untilOver],
      quit,
    ]);
    bed = await bed.restart(model);
    const second = await bed.engine.sessions.resume(first.id);
    await second.say('Leave the last one out.');
    await until('it is over', () => second.state.phase === 'ended', 120_000);
    assert.deepEqual(
      second.ledger.rows.map(({ label, verdict }) => `${label.split(' ')[0]} ${verdict?.kind}`),
      [1, 2, 3, 4, 5, 6, 7, 8].map(
        (i) => `i=${i} ${i === 5 ? 'failed' : i === 8 ? 'killed' : 'ok'}`,
      ),
    );
    const arrays = new Set(second.ledger.rows.flatMap(({ handle }) => handle?.split('_')[0] ?? []));
    assert.equal(arrays.size, 1, [...arrays].join());
    assert.equal(second.ledger.champion?.label.split(' ')[0], 'i=1');
    for (const { number, metrics } of second.ledger.rows.slice(0, 7))
      assert.equal(metrics[0]?.count, 3, `run ${number}`);
    assert.deepEqual(
      eventsOf(second, 'sweep.ended').map(({ why }) => why),
      ['done'],
    );
    assert.match(
      JSON.stringify(model.requests.at(-1)?.messages),
      /Sweep s1 over i × code on hpc has ended: 6 ok, 2 failed/,
    );
  });
});
