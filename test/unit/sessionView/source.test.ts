import assert from 'node:assert/strict';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Session } from '../../../src/agent/contract/sessions.ts';
import { Emitter } from '../../../src/base/emitter.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { SystemMetrics } from '../../../src/runs/systemMetrics.ts';
import { homeAt } from '../../../src/storage/home.ts';
import { OpenSessions } from '../../../src/vscode/window/openSessions.ts';
import { createMetricsSource } from '../../../src/vscode/metrics/metricsSource.ts';
import { createSessionViewSource } from '../../../src/vscode/sessionView/sessionViewSource.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { until as untilSo } from '../../fakes/scratch.ts';
import { ScriptedModel } from '../../fakes/scriptedModel.ts';
import { eventually, testEngine, until, type TestEngine } from '../../fakes/testEngine.ts';

const ask = {
  name: 'ask_user',
  input: { question: 'Go on?', options: ['Yes', 'No'], default: 'No', deadline_minutes: 60 },
};

describe('what a session view reads', () => {
  let here: TestEngine;
  let sessions: OpenSessions;
  let clock: ManualClock;

  const world = () => ({ engine: here.engine, sessions, clock, logger: silentLogger });

  beforeEach(async () => {
    clock = new ManualClock();
    here = await testEngine(new ScriptedModel((_request, index) => (index === 0 ? [ask] : 'hang')));
    sessions = new OpenSessions(new ManualClock());
    sessions.attach(here.engine);
  });

  afterEach(async () => {
    sessions.dispose();
    await here.dispose();
  });

  it('is live for a session of this window, and lets the user act', async () => {
    const session = await here.start();
    const asked = await eventually(session, 'question.asked');
    const source = await createSessionViewSource(world(), session.id);
    let changes = 0;
    source.onDidChange(() => (changes += 1));
    const controls = source.controls();
    assert.ok(typeof controls !== 'string');
    await controls.pin('one GPU only');
    await controls.answer(asked.questionId, 'Yes');
    assert.deepEqual([...session.state.stickies.values()], ['one GPU only']);
    assert.equal(session.state.questions.get(asked.questionId)?.answer?.text, 'Yes');
    assert.ok(changes >= 2 && source.isGrowing);
    assert.equal(source.events().at(-1)?.id, session.events().at(-1)?.id);
    source.dispose();
  });

  it('follows the journal of another process while somebody looks, and only reads it', async () => {
    const session = await here.start();
    await eventually(session, 'question.asked');
    const other = new OpenSessions(new ManualClock());
    const source = await createSessionViewSource({ ...world(), sessions: other }, session.id);
    assert.match(String(source.controls()), new RegExp(`another process \\(${process.pid} `));
    const before = source.events().length;
    await session.pin('written by the other');
    await clock.advance(5_000);
    assert.equal(source.events().length, before, 'nobody looks');
    source.setWatched(true);
    await clock.advance(1_000);
    await until(() => source.events().some((event) => event.type === 'note.pinned'));
    assert.equal(source.isGrowing, true);
    source.dispose();
    assert.equal(clock.pendingTimers, 0);
    other.dispose();
  });

  it('says of a session that nobody works on that it can be resumed', async () => {
    const session = await here.start();
    await session.stop();
    here = await here.restart(new ScriptedModel([]));
    const source = await createSessionViewSource(world(), session.id);
    assert.match(String(source.controls()), /Resume it/);
    assert.equal(source.isGrowing, false);
    assert.deepEqual(source.ledger().rows, []);
    source.dispose();
  });

  it('refuses a session that does not exist', async () => {
    const id = 's-0000000000aaaaaa' as Parameters<typeof createSessionViewSource>[1];
    await assert.rejects(createSessionViewSource(world(), id), /There is no session/);
  });

  it('reads texts beside the journal and nothing else', async () => {
    const session = await here.start();
    const folder = homeAt(here.home).sessionFolder(session.id);
    await mkdir(path.join(folder, 'results'), { recursive: true });
    await writeFile(path.join(folder, 'results/c1.txt'), 'all of it');
    await appendFile(path.join(here.home, 'secret.txt'), 'not for you');
    const source = await createSessionViewSource(world(), session.id);
    assert.equal(await source.readFile(path.join(folder, 'results/c1.txt'), 100), 'all of it');
    assert.equal(await source.readFile(path.join(folder, 'results/c1.txt'), 3), 'all');
    for (const file of [
      path.join(here.home, 'secret.txt'),
      '../../secret.txt',
      '/etc/passwd',
      folder,
    ])
      await assert.rejects(source.readFile(file, 100), /not stored with the session/, file);
    source.dispose();
  });

  describe('of a run that another process follows', () => {
    let there: TestEngine;
    const other = new OpenSessions(new ManualClock());
    const elsewhere = () => ({ ...world(), engine: there.engine, sessions: other });

    beforeEach(async () => {
      const command =
        'echo loss=0.5; while [ ! -e go ]; do sleep 0.05; done; echo loss=0.25; while [ ! -e end ]; do sleep 0.05; done';
      await here.dispose();
      here = await testEngine(
        new ScriptedModel([
          [{ name: 'remote_exec_background', input: { command, metric_names: ['loss'] } }],
          'hang',
        ]),
      );
      there = await testEngine(new ScriptedModel([]), { folder: path.dirname(here.home) });
    });
    afterEach(async () => {
      await writeFile(path.join(here.work, 'go'), '');
      await writeFile(path.join(here.work, 'end'), '');
      for (const one of here.engine.runs.all()) await until(() => one.liveness.kind === 'ended');
      await there.engine.close();
    });

    const launched = async (): Promise<Session> => {
      const session = await here.start();
      await eventually(session, 'run.started');
      await until(() => here.engine.runs.all()[0]?.metrics.summary('loss') !== undefined);
      return session;
    };
    const probed = async (isTrue: () => boolean | Promise<boolean>): Promise<void> => {
      await untilSo('it is seen', async () => {
        if (await isTrue()) return true;
        await clock.advance(1_000);
        return false;
      });
    };

    it('shows its values as they come, and then its end', async () => {
      const session = await launched();
      const source = await createSessionViewSource(elsewhere(), session.id);
      const [row] = source.ledger().rows;
      assert.ok(row);
      assert.deepEqual([row.verdict, row.metrics[0]?.last], [undefined, 0.5]);
      let changes = 0;
      source.onDidChange(() => (changes += 1));
      source.setWatched(true);
      await writeFile(path.join(here.work, 'go'), '');
      await probed(() => source.ledger().rows[0]?.metrics[0]?.last === 0.25);
      assert.ok(changes > 0);
      assert.deepEqual([...((await source.series(row.runId, 'loss'))?.values ?? [])], [0.5, 0.25]);
      await writeFile(path.join(here.work, 'end'), '');
      await probed(() => source.ledger().rows[0]?.verdict?.kind === 'ok');
      assert.deepEqual([...((await source.series(row.runId, 'loss'))?.values ?? [])], [0.5, 0.25]);
      source.dispose();
    });

    it('draws its curve in the metrics panel, and tells of new points', async () => {
      const session = await launched();
      const source = await createMetricsSource(elsewhere(), session.id);
      const [run] = source.state().runs;
      assert.ok(run);
      assert.equal(run.metrics['loss']?.last, '0.5');
      const { notes } = await source.mattered([run.id]);
      assert.match(notes.join(' '), /^12 runs .* 0 are measured.* 1 run left out: active/);
      const added: string[] = [];
      source.onDidAddPoints(({ runId, metric }) => added.push(`${runId} ${metric}`));
      source.setWatched?.(true);
      await writeFile(path.join(here.work, 'go'), '');
      await probed(() => source.state().runs[0]?.metrics['loss']?.last === '0.25');
      assert.deepEqual(
        added.filter((name) => !name.includes('System/')),
        [`${run.id} loss`],
      );
      assert.deepEqual([...((await source.series(run.id, 'loss'))?.values ?? [])], [0.5, 0.25]);
      source.setWatched?.(false);
      assert.equal(clock.pendingTimers, 0);
      source.dispose();
    });

    it('has the resources of its run as charts apart, which are no metrics of the run', async () => {
      const session = await launched();
      const [run] = session.state.runs.values();
      assert.ok(run);
      // Helios itself records nothing any more.
      await writeFile(path.join(here.work, 'go'), '');
      await writeFile(path.join(here.work, 'end'), '');
      await until(() => here.engine.runs.all()[0]?.liveness.kind === 'ended');
      const changed = new Emitter<string>();
      const recording = new SystemMetrics({
        resources: {
          onDidChange: changed.event,
          latest: () => ({ atMs: clock.now(), cpuPercent: 25 }),
        },
        home: homeAt(here.home),
        clock,
        logger: silentLogger,
        going: () => [{ runId: run.spec.id, machineId: 'elsewhere', pid: 7 }],
      });
      changed.fire('elsewhere');
      await recording.settled();
      recording.dispose();
      const source = await createMetricsSource(elsewhere(), session.id);
      source.setWatched?.(true);
      await untilSo('shown', () =>
        source.state().metrics.some(({ isSystem }) => isSystem === true),
      );
      const name = 'System/machine CPU (%)';
      assert.deepEqual(
        source.state().metrics.find((metric) => metric.name === name),
        { name, direction: 'none', isSystem: true },
      );
      assert.equal(source.state().decisive?.metric, 'loss');
      assert.equal(name in (source.state().runs[0]?.metrics ?? {}), false);
      assert.ok((await source.series(run.spec.id, name))?.values.includes(25));
      source.dispose();
    });

    it('has its values in what is read of the session', async () => {
      const { id } = await launched();
      const { ledger } = await there.engine.sessions.read(id);
      assert.equal(ledger.rows[0]?.metrics[0]?.last, 0.5);
    });

    it('refuses the panel of a session that does not exist', async () => {
      const id = 's-0000000000aaaaaa' as Parameters<typeof createMetricsSource>[1];
      await assert.rejects(createMetricsSource(elsewhere(), id), /There is no session/);
    });
  });
});
