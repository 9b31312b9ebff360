import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { basedOn } from '../../../src/experiments/basedOn.ts';
import { differingLines } from '../../../src/experiments/codeDifference.ts';
import type { CodeState, Decision, ExperimentPlan } from '../../../src/experiments/experiment.ts';
import { hypothesisTree } from '../../../src/experiments/hypothesisTree.ts';
import type { ExperimentRow } from '../../../src/experiments/ledger.ts';

const treeOf = (name: string): string => name.repeat(40);

interface Told {
  readonly head?: string;
  readonly commit?: string;
  readonly repo?: string;
}

const codeOf = (tree: string, { repo = '/work', ...more }: Told = {}): CodeState => ({
  ...{ kind: 'git', repo, tree: treeOf(tree), isDirty: true, leftOut: [] },
  ...more,
});

function planned(number: number, code: CodeState, decision?: Decision) {
  const plan = { id: `e${number}`, number, code } as ExperimentPlan;
  const decided = { why: '', by: 'agent', atMs: 0 } as const;
  return { plan, decisions: decision === undefined ? [] : [{ ...decided, decision }] };
}

const lines = (counts: Readonly<Record<string, number>> = {}): ReadonlyMap<string, number> =>
  new Map(Object.entries(counts).map(([tree, count]) => [treeOf(tree), count]));

describe('the experiment on which another is based', () => {
  it('is none for the first, and for code that is unknown', () => {
    assert.equal(basedOn({ code: codeOf('a') }, [], lines()), undefined);
    const unknown = { kind: 'none', why: 'no repository' } as const;
    assert.equal(basedOn({ code: unknown }, [planned(1, codeOf('a'))], lines()), undefined);
    assert.equal(basedOn({ code: codeOf('a') }, [planned(1, unknown)], lines()), undefined);
  });

  it('is the first with the same code, or the newest of them that was kept', () => {
    const [first, second, third] = [1, 2, 3].map((number) => planned(number, codeOf('a')));
    assert.ok(first && second && third);
    assert.equal(basedOn({ code: codeOf('a') }, [first, second, third], lines()), 'e1');
    const kept = planned(2, codeOf('a'), 'keep');
    assert.equal(basedOn({ code: codeOf('a') }, [first, kept, third], lines()), 'e2');
    const same = { code: codeOf('b'), sameCodeAs: treeOf('a') };
    assert.equal(basedOn(same, [first, kept, third], lines()), 'e2');
  });

  it('is the one whose code is nearest, so not one whose change was undone', () => {
    const earlier = [planned(1, codeOf('a'), 'keep'), planned(2, codeOf('b'), 'discard')];
    assert.equal(basedOn({ code: codeOf('c') }, earlier, lines({ b: 9, a: 3 })), 'e1');
    assert.equal(basedOn({ code: codeOf('c') }, earlier, lines({ b: 2, a: 11 })), 'e2');
  });

  it('is the one whose commit is checked out in a folder without launches', () => {
    const earlier = [
      planned(1, codeOf('a', { commit: 'c1' })),
      planned(2, codeOf('b', { commit: 'c2' })),
    ];
    const forked = codeOf('c', { repo: '/worktrees/x', head: 'c1' });
    assert.equal(basedOn({ code: forked }, earlier, lines({ b: 1, a: 2 })), 'e1');
    const later = [...earlier, planned(3, codeOf('d', { repo: '/worktrees/x', head: 'c1' }))];
    assert.equal(basedOn({ code: forked }, later, lines({ d: 1, a: 2 })), 'e3');
  });

  it('is the newest of the folder if no difference is known', () => {
    const earlier = [planned(1, codeOf('a')), planned(2, codeOf('b', { repo: '/other' }))];
    assert.equal(basedOn({ code: codeOf('c') }, earlier, lines()), 'e1');
    assert.equal(basedOn({ code: codeOf('c', { repo: '/new' }) }, earlier, lines()), undefined);
  });

  it('counts changed lines, not the heads of a difference', () => {
    const [a, b, own] = ['a', 'b', 'c'].map(treeOf);
    const file = 'diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n';
    const text = `${a} ${own}\n${file}-lr = 1\n+lr = 2\n+++i\n${b} ${own}\nBinary files a and b differ\n`;
    assert.deepEqual(
      [...differingLines(text)],
      [
        [a, 3],
        [b, 1],
      ],
    );
    assert.deepEqual([...differingLines('')], []);
  });
});

describe('the tree of experiments', () => {
  const rows = (...parents: readonly (string | undefined)[]): ExperimentRow[] =>
    parents.map((basedOn, index) => {
      const id = `e${index + 1}`;
      return { id, plan: { id, ...(basedOn !== undefined && { basedOn }) } } as ExperimentRow;
    });
  const shown = (all: readonly ExperimentRow[]): string[] =>
    hypothesisTree(all).map(({ row, depth, parent = '-' }) => `${row.id} ${depth} ${parent}`);

  it('has each experiment after the one that it built on', () => {
    assert.deepEqual(shown(rows(undefined, 'e1', undefined, 'e1', 'e2')), [
      'e1 0 -',
      'e2 1 e1',
      'e5 2 e2',
      'e4 1 e1',
      'e3 0 -',
    ]);
  });

  it('begins anew where no parent was recorded, or none that comes before', () => {
    assert.deepEqual(shown(rows('e2', 'e2', 'e9')), ['e1 0 -', 'e2 0 -', 'e3 0 -']);
    assert.deepEqual(shown([]), []);
  });

  it('holds a chain of thousands', () => {
    const chain = rows(
      ...Array.from({ length: 5_000 }, (_, index) => (index ? `e${index}` : undefined)),
    );
    assert.equal(hypothesisTree(chain).at(-1)?.depth, 4_999);
  });
});
