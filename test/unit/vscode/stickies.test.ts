import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { parseSticky, stickyList } from '../../../src/vscode/inbox/stickies.ts';

describe('pinned notes', () => {
  it('are pinned, unpinned by number, and listed', () => {
    assert.deepEqual(parseSticky(' never touch data/ '), {
      kind: 'pin',
      text: 'never touch data/',
    });
    assert.deepEqual(parseSticky('rm 2'), { kind: 'unpin', number: 2 });
    assert.deepEqual(parseSticky('rm the old data'), { kind: 'pin', text: 'rm the old data' });
    assert.deepEqual(parseSticky('  '), { kind: 'list' });
    assert.equal(stickyList(new Map([[1, 'use\nseed 7']])), '- 1: use seed 7');
    assert.match(stickyList(new Map()), /There are no sticky notes/);
  });
});
