import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { JournalEvent } from '../../../../src/agent/journal/events.ts';
import { searchTexts, snippetOf } from '../../../../src/agent/archive/searchText.ts';

const finished = (text: string, summary?: string): JournalEvent => ({
  ...{ v: 1, id: 'x', at: 1, type: 'tool.finished', callId: 'c', name: 'remote_exec_background' },
  ...{ text, isError: false, durationMs: 1, ...(summary !== undefined && { summary }) },
});

describe('a snippet of what a search finds', () => {
  const result = JSON.stringify({ pid: 26489, machine_id: 'local', label: 'lr=0.1 cosine' });

  it('is the value of one field of a result, beside what the call did', () => {
    const [found] = searchTexts(finished(result, 'Launched run 7'));
    assert.ok(found);
    assert.equal(found.call, 'Launched run 7');
    assert.equal(snippetOf(found, ['Cosine'])?.text, 'lr=0.1 cosine');
  });

  it('is the whole result where no field has all words, and nothing where it lacks one', () => {
    const [found] = searchTexts(finished(result));
    assert.ok(found);
    assert.match(snippetOf(found, ['cosine', '26489'])?.text ?? '', /26489 .* lr=0\.1 cosine$/);
    assert.equal(snippetOf(found, ['cosine', 'warmup']), undefined);
  });

  it('keeps the lines of a message together', () => {
    const message = { kind: 'message', text: 'note: first\nsecond' } as const;
    assert.equal(snippetOf(message, ['second'])?.text, 'note: first second');
  });
});
