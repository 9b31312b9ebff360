import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { expList, type ListedExperiment } from '../../../src/tools/experiments/expList.ts';
import { call } from './measuredSession.ts';

const experiment = (
  number: number,
  decision: string,
  value: number | null,
  more: Partial<ListedExperiment> = {},
): ListedExperiment => ({
  id: `e${number}`,
  hypothesis: `idea ${number}`,
  command: `train --try ${number}`,
  decision,
  why: 'the reason',
  metric: value === null ? null : 'loss',
  value,
  direction: value === null ? null : 'lower',
  result: value === null ? '1 ok' : `loss ${value}`,
  runs: String(number),
  startedMs: number,
  ...more,
});

/** Lists the experiments, one a line, as the model reads them. */
async function listed(all: readonly ListedExperiment[], args: object = {}): Promise<string[]> {
  const tool = expList({ experiments: () => Promise.resolve(all) });
  const { content } = await call(tool, args);
  return String((content as { readonly experiments: string }).experiments).split('\n');
}
const idsOf = (lines: readonly string[]): string[] =>
  lines.map((line) => line.split(' · ', 1)[0] ?? '');

describe('exp_list', () => {
  const all = [
    experiment(1, 'invalid', 0.1, { why: 'trained on the\ntest data' }),
    experiment(2, 'keep', 2),
    experiment(3, 'running', null),
    experiment(4, 'crash', null, { why: 'every run failed' }),
    experiment(5, 'discard', 3),
    experiment(6, 'keep (run 6, provisional)', 1),
  ];

  it('begins with the best, and ends with what is invalid, with the reason', async () => {
    for (const args of [{}, { metric: 'loss' }]) {
      const lines = await listed(
        args.metric === undefined ? all : all.filter((one) => one.metric !== null),
        args,
      );
      assert.deepEqual(idsOf(lines).slice(0, 3), ['e6', 'e2', 'e5']);
      assert.equal(
        lines.findLast((line) => line.startsWith('e1 ')),
        'e1 · invalid: trained on the test data · loss 0.1 · its runs 1 · idea 1 · train --try 1',
      );
    }
    const lines = await listed(all);
    assert.deepEqual(idsOf(lines), ['e6', 'e2', 'e5', 'e3', 'e1', 'e4']);
    assert.match(lines.at(-1) ?? '', /^e4 · crash: every run failed · 1 ok/);
    assert.match(lines[2] ?? '', /^e5 · discard · loss 3/);
  });

  it('begins with the highest where more is better, whatever comes first', async () => {
    const higher = all.map((one) =>
      one.value === null ? one : { ...one, direction: 'higher' as const },
    );
    assert.deepEqual(idsOf(await listed([experiment(9, 'running', null), ...higher])), [
      'e5',
      'e2',
      'e6',
      'e9',
      'e3',
      'e1',
      'e4',
    ]);
  });

  it('names the experiments that lack the metric', async () => {
    const tool = expList({ experiments: () => Promise.resolve(all) });
    const { content, summary } = await call(tool, { metric: 'loss' });
    const { total, without } = content as { readonly total: number; readonly without: string };
    assert.deepEqual([total, without], [4, '2 have no loss: e3, e4']);
    assert.equal(summary, '4 experiments with loss, 2 without');
    const found = await call(tool, { metric: 'loss', decision: 'keep' });
    assert.equal(found.summary, '2 experiments');
    assert.ok(!Object.hasOwn(found.content as object, 'without'));
  });

  it('begins with the newest where the metrics differ', async () => {
    const other = experiment(7, 'discard', 0, { metric: 'acc', direction: 'higher' });
    assert.deepEqual(idsOf(await listed([other, ...all])), [
      'e7',
      'e6',
      'e5',
      'e3',
      'e2',
      'e4',
      'e1',
    ]);
  });
});
