/** Nights whose pages are shared: one with a tree of experiments, one of hostile texts. */
import assert from 'node:assert/strict';
import { foldSession } from '../../src/agent/journal/fold.ts';
import { pageSteps } from '../../src/agent/reports/pageSteps.ts';
import type { SeriesColumns } from '../../src/metrics/metric.ts';
import type { ReadSeries } from '../../src/reports/chartSet.ts';
import { buildPage } from '../../src/reports/page/sharedPage.ts';
import { lossOf, Night } from './nights.ts';

const hostile = [
  'line\u2028separator\u2029bidi\u202e\u2066 zero\u200b \u001b[31mred\u001b[0m \ud800',
  '</script><script>window.hacked=1</script>',
  '<img src=x onerror=window.hacked=1>',
  '"><svg onload=window.hacked=1>',
  "' onmouseover='window.hacked=1",
  '[run](javascript:window.hacked=1)',
  '<a href="javascript:window.hacked=1">x</a>',
  '<!-- --> ]]> </style><style>*{display:none}</style>',
  '&lt;b&gt; &amp;',
  '**bold** `code` *em* <a id="charts"></a> | cell |',
].join(' ');

/** A falling curve with some noise; `end` is its last value. */
export const seriesOf = (count: number, end = 1): SeriesColumns => ({
  steps: Float64Array.from({ length: count }, (_, index) => index),
  timesMs: new Float64Array(count),
  values: Float64Array.from({ length: count }, (_, index) => {
    const share = (count - 1 - index) / count;
    return end * (1 + share * (1 + (((index * 7919) % 13) - 6) / 30));
  }),
});
export const readPoints: ReadSeries = ({ metrics }) =>
  Promise.resolve(seriesOf(400, metrics[0]?.last));

export async function pageOf(night: Night, series: ReadSeries = readPoints): Promise<string> {
  const state = foldSession(night.events);
  assert.ok(state !== undefined);
  const steps = pageSteps(night.events, state);
  return buildPage({ brief: night.facts(), steps, nowMs: night.events.at(-1)?.at ?? 0 }, series);
}

export function hostileNight(): Night {
  const night = new Night(`loss < 1 ${hostile}`);
  night.experiment(
    { hypothesis: hostile, decision: { is: 'keep', why: hostile } },
    {
      loss: 0.5,
      label: hostile,
      command: `train --${hostile} ${hostile} --seed 1`,
      machineId: hostile,
    },
    {
      loss: 0.6,
      label: hostile,
      command: `train --${hostile} ${hostile} --seed 2`,
      machineId: hostile,
    },
  );
  night.experiment({ hypothesis: hostile.repeat(400) }, { loss: 2, label: 'x'.repeat(9_999) });
  night.run({ verdict: { kind: 'lost', why: hostile }, outputTail: hostile, label: hostile });
  night.run({ metrics: [lossOf(1, { metric: hostile })] });
  const runId = night.run({ loss: 2 });
  night.add({ type: 'run.alarmed', runId, kind: 'silence', detail: hostile, action: 'ask' });
  const question = { text: hostile, options: [hostile], fallback: hostile, deadlineMs: 1 };
  night.add({ type: 'question.asked', questionId: 'q1', ...question });
  night.add({ type: 'question.answered', questionId: 'q1', answer: hostile, by: 'person' });
  night.add({ type: 'session.paused', by: 'error', detail: hostile });
  night.add({ type: 'session.renamed', title: hostile });
  night.add({ type: 'note.pinned', number: 1, text: hostile } as never);
  night.add({ type: 'message.added', origin: 'person', text: hostile } as never);
  return night.end('best_found', hostile);
}

/** A night of experiments with repeats, of which some built on others. */
export function treeNight(): Night {
  const night = new Night('bring loss < 0.8 on TinyStories, mean over seeds 0-1');
  const tried = (
    hypothesis: string,
    loss: number,
    is: 'keep' | 'discard' | 'crash',
    basedOn?: string,
  ): string => {
    const command = `python3 train.py --lr ${loss / 100}`;
    const runs = [0, 1].map((seed) => ({
      ...(is === 'crash'
        ? { verdict: { kind: 'failed', code: 1 } as const, outputTail: 'NameError: x' }
        : { loss: loss + seed / 50 }),
      command: `${command} --seed ${seed}`,
    }));
    const why = is === 'keep' ? `loss fell to ${loss}` : 'it is worse';
    return night.experiment(
      { hypothesis, decision: { is, why }, ...(basedOn !== undefined && { basedOn }) },
      ...runs,
    );
  };
  const base = tried('The recipe as it is gives a baseline', 1.4, 'keep');
  const cosine = tried('Cosine decay helps', 0.95, 'keep', base);
  tried('A higher rate learns faster', 1.9, 'discard', base);
  const smooth = tried('Label smoothing on top of the decay', 0.93, 'keep', cosine);
  tried('Twice the batch', 2, 'crash', cosine);
  tried('A longer warm-up', 0.97, 'discard', smooth);
  night.add({ type: 'session.paused', by: 'error', detail: 'the provider did not answer' });
  night.add({ type: 'session.resumed', by: 'process 7' }, 20);
  return night.end('best_found', 'Label smoothing brought loss to 0.93.');
}
