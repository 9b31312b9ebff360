import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { SessionEvent } from '../../../../src/agent/journal/events.ts';
import { duplicatesOf, type AskedAttempts } from '../../../../src/agent/experiments/attempts.ts';
import { foldSession } from '../../../../src/agent/journal/fold.ts';
import type { CodeState } from '../../../../src/experiments/experiment.ts';
import type { MetricSummary } from '../../../../src/metrics/metric.ts';
import type { Verdict } from '../../../../src/runs/run.ts';
import { recorded, runId, runState, started, summaryOf } from '../../vscode/states.ts';

const kept: CodeState = { kind: 'git', repo: '/project', tree: 't1', isDirty: false, leftOut: [] };
const unknown: CodeState = { kind: 'none', why: 'no repository' };
const command = 'python3 train.py --lr 1';

/** Planned as experiment e1, with run 1. */
const launch = (code: CodeState, limitMs?: number): readonly SessionEvent[] => {
  const { spec, process } = runState(1);
  const limit = limitMs === undefined ? {} : { limit: { ms: limitMs, from: 'launch' as const } };
  const place = { machineId: 'gpu1', command, cwd: '/project' };
  return [
    {
      ...{ type: 'experiment.planned', callId: 'c' },
      plan: { id: 'e1', number: 1, hypothesis: 'h', fingerprint: 'f', code, ...place },
    },
    { type: 'run.planned', callId: 'c', spec: { ...spec, ...place, ...limit, experimentId: 'e1' } },
    { type: 'run.started', runId: spec.id, process: process ?? assert.fail() },
  ];
};
const ended = (verdict: Verdict, metrics: readonly MetricSummary[] = []): SessionEvent => ({
  ...{ type: 'run.ended', runId: runId(1), verdict, endedMs: 1, metrics },
});
const tool = (name: string, effect: 'read' | 'write' | 'execute'): SessionEvent => ({
  ...{ type: 'tool.started', callId: 'x', name, effect, title: name },
});
const alarm = (action: 'kill' | 'warn'): SessionEvent => ({
  ...{ type: 'run.alarmed', runId: runId(1), kind: 'divergence', detail: 'd', action },
});
const said = (origin: 'person' | 'wake'): SessionEvent => ({
  type: 'message.added',
  origin,
  text: 'x',
});

/** Whether the same launch, asked for after `events`, was made before. */
const isDuplicate = (
  events: readonly SessionEvent[],
  code: CodeState = kept,
  {
    command: again = command,
    ...asked
  }: Omit<AskedAttempts, 'attempts'> & { command?: string } = {},
): boolean => {
  const journal = [started(), ...events.map((event) => recorded(event))];
  const state = foldSession(journal) ?? assert.fail();
  return (
    duplicatesOf(journal, state, {
      attempts: [{ command: again, cwd: '/project', code }],
      ...asked,
    }).length > 0
  );
};

describe('a launch that was made before', () => {
  it('is like one that goes on or went well, of the same code', () => {
    assert.equal(isDuplicate(launch(kept)), true);
    assert.equal(isDuplicate([...launch(kept), ended({ kind: 'ok' })]), true);
    assert.equal(
      isDuplicate([...launch(kept), ended({ kind: 'ok' })], { ...kept, tree: 't2' }),
      false,
    );
    assert.equal(isDuplicate([]), false);
  });

  it('is not like one that never started', () => {
    const notStarted: SessionEvent = { type: 'run.not_started', runId: runId(1), why: 'no room' };
    assert.equal(isDuplicate([...launch(kept).slice(0, 2), notStarted]), false);
  });

  it('is no other seed of the experiment that is added to, nor a failed run of it', () => {
    const added = { experimentId: 'e1', command: `${command} --seed 1` };
    assert.equal(isDuplicate(launch(kept), kept, added), false);
    assert.equal(isDuplicate(launch(kept), kept, { ...added, experimentId: 'e2' }), true);
    const failed = ended({ kind: 'failed', code: 1 });
    assert.equal(isDuplicate([...launch(kept), failed], kept, { experimentId: 'e1' }), false);
  });

  it('is the same seed of the experiment that is added to', () => {
    assert.equal(isDuplicate(launch(kept), kept, { experimentId: 'e1' }), true);
    const measured = [...launch(kept), ended({ kind: 'ok' }, [summaryOf('loss', 0.5)])];
    assert.equal(isDuplicate(measured, kept, { experimentId: 'e1' }), true);
  });

  const ends: readonly (readonly [
    verdict: Verdict,
    before: readonly SessionEvent[],
    tells: boolean,
  ])[] = [
    [{ kind: 'lost', why: 'w' }, [], false],
    [{ kind: 'preempted' }, [], false],
    [{ kind: 'killed' }, [], false],
    [{ kind: 'killed' }, [alarm('warn')], false],
    [{ kind: 'killed' }, [alarm('kill')], true],
    [{ kind: 'failed', code: 1 }, [], true],
    [{ kind: 'signalled', signal: 'SEGV' }, [], true],
    [{ kind: 'out_of_memory' }, [], true],
  ];
  for (const [verdict, before, tells] of ends)
    it(`${tells ? 'tells' : 'does not tell'} what the same comes to when it was ${verdict.kind}, ${before.length} alarm before`, () =>
      assert.equal(isDuplicate([...launch(kept), ...before, ended(verdict)]), tells));

  it('that failed may go better once something was done', () => {
    const failed = [...launch(kept), ended({ kind: 'failed', code: 1 })];
    for (const event of [
      tool('write_file', 'write'),
      tool('remote_exec', 'execute'),
      said('person'),
    ])
      assert.equal(isDuplicate([...failed, event]), false);
    for (const event of [
      tool('read_file', 'read'),
      { ...tool('sweep', 'execute'), changesCode: false },
      { ...tool('memory_write', 'write'), changesCode: false },
      said('wake'),
    ])
      assert.equal(isDuplicate([...failed, event]), true);
    assert.equal(isDuplicate([tool('write_file', 'write'), ...failed]), true, 'done before it');
  });

  it('that ran out of time tells of what is given no more of it', () => {
    const late = [...launch(kept, 60_000), ended({ kind: 'time_limit' })];
    const within = (ms?: number): boolean =>
      isDuplicate(late, kept, ms === undefined ? {} : { limit: { ms, from: 'launch' } });
    assert.deepEqual(
      [within(59_000), within(60_000), within(60_001), within()],
      [true, true, false, false],
    );
  });

  it('without a repository is the same only while nothing was done since it was planned', () => {
    const run = [...launch(unknown), ended({ kind: 'ok' })];
    assert.equal(isDuplicate(run, unknown), true);
    assert.equal(isDuplicate([...run, tool('read_file', 'read'), said('wake')], unknown), true);
    assert.equal(isDuplicate([...run, tool('remote_exec', 'execute')], unknown), false);
    assert.equal(isDuplicate([...run, said('person')], unknown), false);
    assert.equal(
      isDuplicate([...launch(kept), ended({ kind: 'ok' }), said('person')]),
      true,
      'the tree is the same',
    );
  });
});
