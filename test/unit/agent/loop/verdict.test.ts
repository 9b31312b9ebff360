import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { judgeFinish } from '../../../../src/agent/loop/verdict.ts';
import { ToolFailure } from '../../../../src/base/errors.ts';
import { buildLedger } from '../../../../src/experiments/buildLedger.ts';
import { readTarget } from '../../../../src/experiments/target/readTarget.ts';
import type { LedgerEntry } from '../../../../src/experiments/ledger.ts';
import type { FinishRequest } from '../../../../src/tools/session/finish.ts';
import { rowOf, summaryOf } from '../../vscode/states.ts';

const entries = [
  rowOf(1, {
    metrics: [summaryOf('loss', 0.8, 'lower', 0.9), summaryOf('val/acc', 0.7, 'higher')],
  }),
  rowOf(2, { metrics: [summaryOf('loss', 2), { ...summaryOf('val/acc', 0), count: 0 }] }),
  rowOf(3, { metrics: [summaryOf('loss', 0.1)], verdict: { kind: 'failed', code: 1 } }),
  rowOf(4, { metrics: [], command: 'pytest -q' }),
];
const better = [
  ...entries,
  rowOf(5, { metrics: [summaryOf('loss', 0.7)] }),
  rowOf(6, { metrics: [summaryOf('loss', 0.5)] }),
];
const sized = [
  rowOf(1, {
    experimentId: 'e1',
    metrics: [summaryOf('loss', 0.8), summaryOf('parameters', 4225, 'none')],
  }),
  rowOf(2, {
    experimentId: 'e2',
    metrics: [summaryOf('loss', 0.5), summaryOf('parameters', 21_121, 'none')],
  }),
];

type Claim = readonly [runs: string, metric?: string];

async function judge(
  claims: readonly Claim[],
  goal: string,
  outcome: FinishRequest['outcome'] = 'goal_met',
  runs: readonly LedgerEntry[] = entries,
): Promise<string> {
  const target = readTarget(goal);
  const ledger = buildLedger(runs, { target });
  const evidence = claims.map(([runs, metric]) => ({ runs: [runs], metric }));
  try {
    const { reason, checked } = await judgeFinish(
      { outcome, summary: 's', evidence, files: [], checks: [] },
      {
        goal,
        target,
        ledger,
        rows: (reference) => ledger.rows.filter(({ number }) => String(number) === reference),
        nearest: (metric, rows) =>
          Promise.resolve(
            metric === 'parameters' ? `Nearest line of run ${rows.at(-1)?.number}` : undefined,
          ),
        requirements: () => Promise.resolve([]),
        file: (path) => Promise.resolve(`${path} exists`),
      },
    );
    return [reason, ...checked].join(' · ');
  } catch (error) {
    assert.ok(error instanceof ToolFailure);
    return error.message;
  }
}

describe('the verdict of finish', () => {
  const holds: readonly (readonly [string, readonly Claim[], string, string])[] = [
    ['the last value meets the goal', [['1', 'loss']], 'loss < 1', 'goal · loss 0.9 < 1 (run 1)'],
    [
      'the goal names the metric without its path',
      [['1', 'val/acc']],
      'reach acc > 0.6',
      'goal · acc 0.7 > 0.6 (run 1)',
    ],
    ['capitals differ', [['1', 'loss']], 'bring LOSS < 1', 'goal · LOSS 0.9 < 1 (run 1)'],
    ['one of the runs meets it', [['2'], ['1']], 'loss < 1', 'goal · loss 0.9 < 1 (run 1)'],
    [
      'a test succeeded, and the goal has no number',
      [['4']],
      'make the tests pass',
      'goal · pytest -q succeeded (run 4)',
    ],
    [
      'another setting is the champion, which is named first',
      [['5', 'loss']],
      'loss < 1',
      'goal · loss 0.5 < 1 (run 6) · named as evidence, run 5: loss 0.7 < 1 (run 5)',
    ],
    ['nothing could be checked', [['2', 'loss']], 'make it better', 'claimed'],
  ];
  for (const [name, claims, goal, expected] of holds)
    it(`holds where ${name}`, async () => {
      const isOther = claims[0]?.[0] === '5';
      const runs = isOther ? better : entries;
      assert.equal(await judge(claims, goal, 'goal_met', runs), expected);
    });

  const fails: readonly (readonly [string, readonly Claim[], string, RegExp])[] = [
    [
      'there is none',
      [],
      'make it better',
      /^goal_met needs evidence.*run 1, run 2, run 3, run 4\.$/,
    ],
    [
      'there is no such run',
      [['9', 'loss']],
      'loss < 1',
      /^There is no run 9 in this session, and no experiment or sweep 9 that has launched one/,
    ],
    [
      'nothing was measured',
      [['2', 'val/acc']],
      'acc > 0.6',
      /^No value of val\/acc was measured in run 2/,
    ],
    [
      'only the best epoch met it',
      [['1', 'loss']],
      'loss < 0.85',
      /not met: loss < 0.85.*loss 0.9, not < 0.85 \(run 1\)/,
    ],
    ['the run failed', [['3', 'loss']], 'loss < 1', /^run 3 is no evidence/],
    [
      'the metric was never printed',
      [['1', 'loss']],
      'val_loss < 1',
      /No run printed val_loss.*set_target/,
    ],
    [
      'a number was not understood',
      [['1', 'loss']],
      'get it to 0.3 please',
      /numbers \(0\.3\).*set_target/,
    ],
    ['the goal is open', [['1', 'loss']], 'find the lowest loss', /outcome best_found/],
  ];
  for (const [name, claims, goal, why] of fails)
    it(`does not hold where ${name}`, async () => assert.match(await judge(claims, goal), why));

  it('names the runs that meet the goal where the evidence does not', async () => {
    const goal = 'loss < 0.75';
    assert.equal(
      await judge([['1', 'loss']], goal, 'goal_met', better),
      'This evidence does not meet the goal: loss < 0.75. Measured: loss 0.9, not < 0.75 (run 1). The goal is met by runs 5, 6: name them as evidence.',
    );
    assert.match(
      await judge([['1', 'loss']], goal, 'goal_met', better.slice(0, 5)),
      / The goal is met by run 5: name it as evidence\.$/,
    );
  });

  it('takes the best of an open goal from the ledger', async () => {
    assert.equal(
      await judge([], 'find the lowest loss', 'best_found'),
      'best_found · loss 0.9 (run 1)',
    );
    assert.match(await judge([], 'loss < 1', 'best_found'), /names a number to reach/);
  });

  it('ends an open goal with the best that keeps its limit', async () => {
    const goal = 'find the lowest loss with at most 20000 parameters';
    assert.equal(
      await judge([], goal, 'best_found', sized),
      'best_found · loss 0.8 (run 1) · parameters 4225 <= 20000 (run 1)',
    );
    assert.match(
      await judge([], goal, 'best_found', sized.slice(1)),
      /^No result keeps the limits of the goal; the best: parameters 21121, not <= 20000 \(run 2\)/,
    );
    assert.match(await judge([['1', 'loss']], goal, 'goal_met', sized), /outcome best_found/);
  });

  it('names the line that is most like a metric which was not read from the runs', async () => {
    const goal = 'bring loss below 0.6 with at most 20000 parameters';
    const unread = { ...sized[1], metrics: [summaryOf('loss', 0.5)] } as LedgerEntry;
    assert.match(
      await judge([['2', 'loss']], goal, 'goal_met', [...sized.slice(0, 1), unread]),
      /Measured: parameters was not read from run 2\. Nearest line of run 2 /,
    );
  });

  it('needs no evidence to be blocked; what is named has to exist', async () => {
    assert.equal(await judge([], 'loss < 1', 'blocked'), 'blocked');
    assert.match(await judge([['9', 'loss']], 'loss < 1', 'blocked'), /^There is no run/);
  });
});
