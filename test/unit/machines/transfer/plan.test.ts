import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { planOf } from '../../../../src/machines/transfer/plan.ts';
import type { Entry } from '../../../../src/machines/transfer/tree.ts';

const entry = (kind: Entry['kind']): Entry => ({
  kind,
  sizeBytes: 1,
  modified: '1.0',
  mode: 0o644,
});

describe('the plan of a transfer', () => {
  it('counts files that need no change, without their folders', () => {
    const source = new Map([
      ['.', entry('folder')],
      ['a', entry('folder')],
      ['a/x', entry('file')],
      ['y', entry('file')],
    ]);
    const { same, files } = planOf({
      ...{ source, target: source, links: new Map(), sameLinks: new Set() },
      nameProblem: () => undefined,
      refusal: () => undefined,
    });
    assert.deepEqual([same, files], [2, []]);
  });
});
