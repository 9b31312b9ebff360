/**
 * Resumes a session of version 0.1 whose runs still go on: nothing that lies on a disk may become
 * unreadable.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { Clock } from '../../src/base/clock.ts';
import { systemClock } from '../../src/base/clock.ts';
import { LoginHost } from '../fakes/loginHost.ts';
import { until } from '../fakes/scratch.ts';
import { ScriptedModel } from '../fakes/scriptedModel.ts';
import { eventsOf, testEngine, type TestEngine } from '../fakes/testEngine.ts';

const fixture = join(import.meta.dirname, '../fixtures/home-0.1');
const recordedMs = 1_795_370_402_000;
const localRun = 'r-0mws56jrbne4d2z';
const remoteRun = 'r-0mws56jtl1j83mc';

describe('a home of the last version', function () {
  this.timeout(120_000);
  let host: LoginHost;
  let bed: TestEngine;
  const folder = mkdtempSync(join(tmpdir(), 'helios-last-'));

  before(async () => {
    host = await LoginHost.start('ssh');
    cpSync(join(fixture, 'home'), join(folder, 'home'), { recursive: true });
    cpSync(join(fixture, 'work'), join(folder, 'work'), { recursive: true });
    cpSync(join(fixture, 'remote'), host.home, { recursive: true });
    for (const place of [folder, host.home]) fill(place, { folder, remote: host.home });
    await startRun(join(folder, 'home/runs', localRun), join(folder, 'work'));
    await startRun(join(host.home, '.helios/runs', remoteRun), host.home);
    bed = await testEngine(model(), {
      folder,
      createMachine: host.createMachine,
      clock: recordedTime(),
    });
  });
  after(async () => {
    for (const place of [join(folder, 'work'), host?.home])
      if (place) writeFileSync(join(place, 'release'), '');
    await bed?.dispose();
    await host?.dispose();
  });

  it('shows what was done', async () => {
    const [id] = await bed.engine.sessions.list().then((list) => list.map((each) => each.id));
    assert.ok(id);
    const { state, ledger } = await bed.engine.sessions.read(id);
    assert.equal(state.goal, 'bring loss < 1');
    assert.equal(state.end, undefined);
    assert.deepEqual(
      ledger.rows.map(({ label, verdict, metrics }) => [label, verdict?.kind, metrics[0]?.last]),
      [
        ['x=3', 'ok', 3],
        ['x=2', 'ok', 2],
        ['sh train.sh', undefined, 5],
        ['sh train.sh', undefined, 5],
      ],
    );
  });

  it('is resumed, and its runs are adopted on both machines without a lost point', async () => {
    const [id] = await bed.engine.sessions.list().then((list) => list.map((each) => each.id));
    assert.ok(id);
    const session = await bed.engine.sessions.resume(id);
    for (const place of [join(folder, 'work'), host.home])
      writeFileSync(join(place, 'release'), '');
    await session.ended;
    assert.equal(session.state.end?.reason, 'goal');
    assert.equal(eventsOf(session, 'run.planned').length, 4, 'nothing is launched again');
    for (const runId of [localRun, remoteRun]) {
      const run = [...session.state.runs.values()].find(({ spec }) => spec.id === runId);
      assert.deepEqual(run?.verdict, { kind: 'ok' });
      assert.ok(run);
      const { values } = bed.engine.runs.get(run.spec.id)?.metrics.series('loss') ?? { values: [] };
      assert.deepEqual([...values], [9, 8, 7, 6, 5, 4, 3, 2, 1, 0.5]);
    }
  });
});

/** The recorded time, from which it goes on: deadlines of the session stay ahead. */
function recordedTime(): Clock {
  const shiftMs = Date.now() - recordedMs;
  return {
    ...systemClock,
    now: () => systemClock.now() - shiftMs,
    after: (ms, callback) => systemClock.after(ms, callback),
  };
}

/** Ends the session when it wakes. */
function model(): ScriptedModel {
  return new ScriptedModel(() => [
    {
      name: 'finish',
      input: { outcome: 'goal_met', summary: 'Met.', evidence: [{ run: '3', metric: 'loss' }] },
    },
  ]);
}

/** Replaces the placeholders in every text file. */
function fill(
  place: string,
  { folder, remote }: { readonly folder: string; readonly remote: string },
): void {
  for (const entry of readdirSync(place, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith('.bin') || entry.name.endsWith('.png')) continue;
    const file = join(entry.parentPath, entry.name);
    const text = readFileSync(file, 'utf8');
    const filled = text
      .replaceAll('@ROOT@', folder)
      .replaceAll('@REMOTE@', remote)
      .replaceAll('@HOST@', hostname());
    if (filled !== text) writeFileSync(file, filled);
  }
}

/** Starts a run with the supervisor of the last version, and waits for its first five points. */
async function startRun(run: string, cwd: string): Promise<void> {
  mkdirSync(cwd, { recursive: true });
  spawn('/bin/sh', [join(run, 'capsule.sh'), 'start'], {
    cwd,
    detached: true,
    stdio: 'ignore',
  }).unref();
  const output = join(run, 'output.log');
  await until(
    'the run prints',
    () => existsSync(output) && /step=5 /.test(readFileSync(output, 'utf8')),
  );
}
