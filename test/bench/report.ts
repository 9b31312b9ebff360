/**
 * The brief of ten thousand runs, with its charts: the time from a folded journal, and its size.
 */
import { briefFacts } from '../../src/agent/reports/reportFacts.ts';
import { foldSession } from '../../src/agent/journal/fold.ts';
import { ledgerOf } from '../../src/agent/runs/sessionLedger.ts';
import { loadShell } from '../../src/shell/grammar.ts';
import { buildBrief } from '../../src/reports/brief.ts';
import { drawCharts } from '../../src/reports/chartSet.ts';
import { Night } from '../fakes/nights.ts';
import { median, timed, type Figure, type Size } from './figure.ts';

const sizes = { full: { runs: 10_000, rounds: 5 }, tiny: { runs: 200, rounds: 1 } };
const points = 2_000;

export async function benchReport(_folder: string, size: Size): Promise<readonly Figure[]> {
  const { runs, rounds } = sizes[size];
  await loadShell();
  const night = new Night('bring loss < 0.001');
  for (let number = 1; number <= runs; number += 1) {
    const verdict =
      number % 50 === 0
        ? ({ kind: 'failed', code: number % 7 } as const)
        : ({ kind: 'ok' } as const);
    const decision = {
      is: number % 10 === 0 ? 'keep' : 'discard',
      why: `loss ${1 / number}, not 0.5`,
    } as const;
    night.experiment(
      { hypothesis: `try ${number} gives 0.${number}`, decision },
      { loss: 1 + 1 / number, verdict },
    );
  }
  const state = foldSession(night.events);
  if (state === undefined) throw new Error('There is no session in the journal.');
  const columns = Float64Array.from({ length: points }, (_, index) => index + 1);
  const series = { steps: columns, timesMs: columns, values: columns };
  const times: number[] = [];
  let text = '';
  for (let round = 0; round < rounds; round += 1) {
    times.push(
      await timed(async () => {
        const ledger = ledgerOf(state, ({ metrics }) => metrics);
        const about = { outputPath: () => undefined, gpu: () => undefined };
        const facts = briefFacts({ state, events: night.events, ledger }, about);
        await drawCharts(facts, () => Promise.resolve(series));
        text = buildBrief(facts);
      }),
    );
  }
  return [
    {
      name: `brief and charts of ${runs} runs, p50`,
      value: median(times),
      unit: 'ms',
      aim: { atMost: 2_000 },
    },
    {
      name: `size of the brief of ${runs} runs`,
      value: text.length,
      unit: 'bytes',
      aim: { atMost: 60_000, kind: 'correctness' },
    },
  ];
}
