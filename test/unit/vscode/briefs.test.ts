import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { buildBrief } from '../../../src/reports/brief.ts';
import { briefForChat } from '../../../src/vscode/reports/briefText.ts';
import {
  maybeUnseen,
  rememberedBriefs,
  withSeen,
} from '../../../src/vscode/reports/unseenBriefs.ts';
import { fullNight } from '../../fakes/nights.ts';

describe('briefs that nobody has seen', () => {
  it('are none on the first day: what ended before is no news', () => {
    const memory = rememberedBriefs(undefined, 1_000);
    assert.deepEqual(memory, { sinceMs: 1_000, seen: [] });
    assert.equal(maybeUnseen(memory, 's-1', 999), false);
    assert.equal(maybeUnseen(memory, 's-1', 1_001), true);
  });

  it('are shown once', () => {
    const memory = withSeen(rememberedBriefs(undefined, 0), 's-1');
    assert.deepEqual([maybeUnseen(memory, 's-1', 9), maybeUnseen(memory, 's-2', 9)], [false, true]);
    assert.deepEqual(rememberedBriefs(JSON.parse(JSON.stringify(memory)), 5_000), memory);
  });

  it('keep their memory small, the newest last', () => {
    let memory = rememberedBriefs(undefined, 0);
    for (let number = 0; number < 500; number += 1) memory = withSeen(memory, `s-${number}`);
    assert.equal(memory.seen.length, 200);
    assert.equal(withSeen(memory, 's-400').seen.at(-1), 's-400');
  });

  it('begin anew where the memory is damaged', () => {
    for (const kept of [null, 'x', { sinceMs: 'x', seen: [] }, { sinceMs: 1 }])
      assert.deepEqual(rememberedBriefs(kept, 7), { sinceMs: 7, seen: [] });
    assert.deepEqual(rememberedBriefs({ sinceMs: 1, seen: ['a', 2] }, 7).seen, ['a']);
  });
});

describe('a brief in the chat', () => {
  const text = briefForChat(
    buildBrief(fullNight().facts(), [{ path: 'charts/loss.svg', text: 'loss' }]),
  );

  it('has no links that lead nowhere, no pictures and no wide table', () => {
    assert.doesNotMatch(text, /\]\((?:#|runs)|<a |!\[|^\| Run/m);
    assert.match(text, /\*\*loss 0\.931 ± 0\.0269 over 2 runs\*\*: run 4 of e4/);
    assert.match(text, /## What happened meanwhile[\s\S]*Paused/);
  });
});
