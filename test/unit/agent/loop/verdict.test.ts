import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { judgeEvidence, type EvidenceDeps } from '../../../../src/agent/loop/verdict.ts';
import { ToolFailure } from '../../../../src/base/errors.ts';
import { parseGoalTarget } from '../../../../src/experiments/target.ts';
import type { MetricSummary } from '../../../../src/metrics/metric.ts';
import { runState, summaryOf } from '../../vscode/states.ts';

const measured: Readonly<Record<string, readonly MetricSummary[]>> = {
  1: [summaryOf('loss', 0.8, 'lower', 1.5), summaryOf('val/acc', 0.7, 'higher')],
  2: [summaryOf('loss', 2), { ...summaryOf('val/acc', 0), count: 0 }],
  3: [summaryOf('score', 3, 'none', 0.5)],
};
const runs = new Map(
  Object.entries(measured).map(([number, metrics]) => [
    number,
    runState(Number(number), { metrics }),
  ]),
);
const source: EvidenceDeps = {
  find: (reference) => runs.get(reference),
  summaries: ({ metrics }) => metrics,
  names: () => [...runs.keys()].map((number) => `run ${number}`).join(', '),
};
type Claim = readonly [run: string, metric: string];
const judge = (
  claims: readonly Claim[],
  goal: string,
  outcome: 'goal_met' | 'blocked' = 'goal_met',
): string => {
  const evidence = claims.map(([run, metric]) => ({ run, metric }));
  try {
    const found = judgeEvidence({ outcome, summary: 's', evidence }, parseGoalTarget(goal), source);
    return found
      .map(({ run, metric, best, last, count }) => `${run} ${metric} ${best} ${last} ${count}`)
      .join();
  } catch (error) {
    assert.ok(error instanceof ToolFailure);
    return error.message;
  }
};

describe('evidence', () => {
  const holds: readonly (readonly [
    name: string,
    claims: readonly Claim[],
    goal: string,
    evidence: string,
  ])[] = [
    ['the best value meets the goal', [['1', 'loss']], 'bring loss < 1', 'run 1 loss 0.8 1.5 10'],
    ['the last value meets it', [['3', 'score']], 'bring score < 1', 'run 3 score 3 0.5 10'],
    [
      'one of them does',
      [
        ['2', 'loss'],
        ['1', 'loss'],
      ],
      'bring loss < 1',
      'run 2 loss 2 2 10,run 1 loss 0.8 1.5 10',
    ],
    [
      'the goal names the metric without its path',
      [['1', 'val/acc']],
      'reach acc > 0.6',
      'run 1 val/acc 0.7 0.7 10',
    ],
    ['the goal writes it in capitals', [['1', 'loss']], 'bring LOSS < 1', 'run 1 loss 0.8 1.5 10'],
    ['the goal has no measure', [['2', 'loss']], 'make it better', 'run 2 loss 2 2 10'],
  ];
  for (const [name, claims, goal, evidence] of holds)
    it(`holds where ${name}`, () => assert.equal(judge(claims, goal), evidence));

  const fails: readonly (readonly [
    name: string,
    claims: readonly Claim[],
    goal: string,
    why: RegExp,
  ])[] = [
    ['there is none', [], 'make it better', /^goal_met needs evidence.*run 1, run 2, run 3\.$/],
    [
      'there is no such run',
      [['9', 'loss']],
      'bring loss < 1',
      /^There is no run 9 in this session/,
    ],
    [
      'nothing was measured',
      [['2', 'val/acc']],
      'reach acc > 0.6',
      /^No value of val\/acc was measured in run 2/,
    ],
    [
      'the run has no such metric',
      [['3', 'loss']],
      'bring loss < 1',
      /^No value of loss .* It measured: score\./,
    ],
    [
      'it is of another metric',
      [['1', 'val/acc']],
      'bring loss < 1',
      /^The goal says loss < 1: give evidence for loss/,
    ],
    [
      'neither value meets the goal',
      [['2', 'loss']],
      'bring loss < 1',
      /no run in the evidence reached it: run 2 loss: best 2, last 2\. Continue/,
    ],
  ];
  for (const [name, claims, goal, why] of fails)
    it(`does not hold where ${name}`, () => assert.match(judge(claims, goal), why));

  it('is not needed to be blocked; what is given is measured, too', () => {
    assert.equal(judge([], 'bring loss < 1', 'blocked'), '');
    assert.equal(judge([['2', 'loss']], 'bring loss < 1', 'blocked'), 'run 2 loss 2 2 10');
    assert.match(judge([['9', 'loss']], 'bring loss < 1', 'blocked'), /^There is no run 9/);
  });
});
