import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  earlierNotes,
  EarlierAttempts,
  importedNotes,
  isExact,
  type EarlierAttempt,
} from '../../../../src/agent/experiments/earlierAttempts.ts';
import { silentLogger } from '../../../../src/base/logger.ts';
import type { Attempt } from '../../../../src/experiments/duplicates.ts';
import type { CodeState } from '../../../../src/experiments/experiment.ts';
import type { NamedResult } from '../../../../src/experiments/ledger.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { sessionId } from '../../vscode/states.ts';

const head = 'abcdef0123456789abcdef0123456789abcdef01';
const code = (changes: Partial<Extract<CodeState, { kind: 'git' }>> = {}): CodeState => ({
  ...{ kind: 'git', repo: '/r', tree: 't1', head, isDirty: false, leftOut: [], ...changes },
});
const none: CodeState = { kind: 'none', why: 'w' };

describe('what is told of earlier attempts', () => {
  const found = (changes: Partial<EarlierAttempt> = {}): EarlierAttempt => ({
    ...{
      sessionId,
      experimentId: 'e1',
      same: 's',
      seed: 'd',
      tree: 't1',
      isKnown: true,
      told: 'loss 1',
    },
    ...{ likeness: 'same', ...changes },
  });

  it('is nothing new only where the very tree ran with the same arguments, and its result is known', () => {
    assert.equal(isExact(found(), code()), true);
    assert.equal(isExact(found({ likeness: 'seed' }), code()), false);
    assert.equal(isExact(found({ isKnown: false }), code()), false);
    assert.equal(isExact(found(), code({ tree: 't2' })), false);
    assert.equal(isExact(found(), none), false);
  });

  it('is a line for each experiment, of three at most', () => {
    const many = ['e1', 'e1', 'e2', 'e3', 'e4'].map((experimentId) => found({ experimentId }));
    assert.deepEqual(
      earlierNotes(many).map((line) => /experiment (e\d)/.exec(line)?.[1]),
      ['e1', 'e2', 'e3'],
    );
  });

  it('is asked of the index for code in a repository, and for 500 attempts at most', async () => {
    const asked: number[] = [];
    const index = {
      refresh: () => Promise.resolve(),
      attemptsLike: (seeds: readonly string[]) => {
        asked.push(seeds.length);
        return [];
      },
    };
    const earlier = new EarlierAttempts({ index, clock: new ManualClock(), logger: silentLogger });
    const attempts = (count: number, of: CodeState): Attempt[] =>
      Array.from({ length: count }, (_, number) => ({
        command: `train --lr ${number}`,
        cwd: '/r',
        code: of,
      }));
    await earlier.like(attempts(3, none), sessionId);
    await earlier.like(attempts(2, code()), sessionId);
    await earlier.like(attempts(600, code()), sessionId);
    assert.deepEqual(asked, [2, 500]);
  });
});

describe('what was brought in of a commit', () => {
  const imported = (commit: string): NamedResult => ({
    ...{ commit, metric: 'loss', status: 'keep', description: 'wider' },
    ...{ id: 'i1#1', source: 'results.tsv' },
  });
  const cases: readonly (readonly [
    name: string,
    commit: string,
    of: CodeState,
    isTold: boolean,
  ])[] = [
    ['the commit that runs', head, code(), true],
    ['its first seven letters, in capitals', head.slice(0, 7).toUpperCase(), code(), true],
    ['too few letters of it', head.slice(0, 6), code(), false],
    ['another one', 'fffffff', code(), false],
    ['the commit below changes', head, code({ isDirty: true }), false],
    ['a commit, where there is no repository', head, none, false],
  ];
  for (const [name, commit, of, isTold] of cases)
    it(`is ${isTold ? 'told' : 'not told'} of ${name}`, () =>
      assert.equal(importedNotes([imported(commit)], of).length, isTold ? 1 : 0));
});
