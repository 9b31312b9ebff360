import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'mocha';
import { RunDesk } from '../../../src/agent/runs/runDesk.ts';
import { SessionLog } from '../../../src/agent/journal/sessionLog.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { Runs } from '../../../src/runs/runs.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { localOnly, sessionId } from '../tools/machineTools.harness.ts';

describe('plans of runs', () => {
  const folder = scratchFolder();

  it('have a number each, also when they are made at the same time', async () => {
    const machines = localOnly(folder());
    const runs = new Runs({ machines, folder: path.join(folder(), 'points'), clock: systemClock });
    const log = await SessionLog.open(path.join(folder(), 'journal.jsonl'), systemClock, {
      ...{ type: 'session.started', sessionId, goal: 'g', budget: {}, provider: 'demo', model: 'm' },
      ...{ workFolder: folder(), helios: '0' },
    });
    const desk = new RunDesk({ sessionId, log, runs, machines, clock: systemClock, onFailed: assert.fail });
    const plans = await Promise.all(
      ['a', 'b', 'c', 'd'].map((command) => desk.plan({ machineId: 'local', command, metrics: {} }, 'call')),
    );
    assert.deepEqual(
      plans.map(({ number }) => number),
      [1, 2, 3, 4],
    );
    desk.dispose();
    runs.dispose();
    await log.close();
  });
});
