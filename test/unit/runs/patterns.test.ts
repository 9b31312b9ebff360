import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { RunChange } from '../../../src/runs/liveRun.ts';
import { until } from '../../fakes/scratch.ts';
import { ended, useRuns } from './harness.ts';

const line = `1${'a'.repeat(60)}`;
const print = `printf 'acc=1 a: 7\\n%s\\nacc=2' '${line}'`;
const metrics = { patterns: { loss: '(?:\\w+\\s?)+:\\s(\\d+)', acc: 'acc=(\\d)' } };

describe('a run with a pattern that takes forever', () => {
  const { controller, spec } = useRuns();
  const kinds = (changes: readonly RunChange[]): string[] =>
    changes.map(({ kind }) => kind).filter((kind) => kind === 'pattern_off' || kind === 'ended');

  it('ends with its other metrics, and is adopted by the next process', async () => {
    const first = controller();
    const run = await first.runs.launch(spec(print, { metrics }));
    assert.deepEqual(await ended(run), { kind: 'ok' });
    assert.deepEqual([...run.metrics.series('acc').values], [1, 2]);
    assert.deepEqual(kinds(first.changes), ['pattern_off', 'ended']);
    const second = controller();
    const adopted = await second.runs.adopt(run.spec);
    assert.deepEqual([...(adopted?.metrics.series('acc').values ?? [])], [1, 2]);
    assert.equal(kinds(second.changes).at(-1), 'ended');
  });

  it('does not keep other runs from being read', async () => {
    const { runs, changes } = controller();
    const hung = await runs.launch(spec(`${print}; sleep 60`, { metrics }));
    const other = await runs.launch(
      spec('echo L=1; echo L=2', { metrics: { patterns: { loss: 'L=(\\d)' } } }),
    );
    assert.deepEqual(await ended(other), { kind: 'ok' });
    assert.deepEqual([...other.metrics.series('loss').values], [1, 2]);
    await until('it is said', () => kinds(changes).includes('pattern_off'));
    assert.equal(hung.liveness.kind, 'running');
  });
});
