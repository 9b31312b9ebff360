import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { contextSize } from '../../../../src/agent/context/contextSize.ts';
import { buildHistory } from '../../../../src/agent/context/history.ts';
import { dueAttachments } from '../../../../src/agent/context/leftOut.ts';
import { JournalOf } from '../../../fakes/journalOf.ts';

/** US dollars per million tokens, as of a model whose cached input costs a tenth. */
const price = { cacheRead: 0.1, cacheWrite: 1.25 };
const minuteMs = 60_000;

const image = (name: string) =>
  ({ hash: 'a'.repeat(64), mediaType: 'image/png', name, sizeBytes: 80_000 }) as const;

/** Turns of a model: it views images, and says short or long texts. */
class Viewing extends JournalOf {
  view(...names: readonly string[]): this {
    this.ask().reply(
      names.map((name) => ({ type: 'tool_call', id: `c-${name}`, name: 'read_file', input: {} })),
    );
    for (const name of names)
      this.add({
        ...{ type: 'tool.finished', callId: `c-${name}`, name: 'read_file', text: 'an image' },
        ...{ isError: false, durationMs: 1, attachmentFiles: [image(name)] },
      });
    return this;
  }

  talk(times: number, chars: number): this {
    for (let turn = 0; turn < times; turn += 1)
      this.ask().reply([{ type: 'text', text: 'abcd '.repeat(chars / 5) }]);
    return this;
  }

  due(of: typeof price | 'unknown' = price, afterMs = 0): readonly string[] {
    const known = of === 'unknown' ? undefined : of;
    return dueAttachments(this.events, known, (this.events.at(-1)?.at ?? 0) + afterMs);
  }
}

describe('attachments that the conversation leaves out', () => {
  it('stay while what follows them costs more to write than their reading has cost', () => {
    // 160 tokens are paid for each reading, 50 words of a reply are about 63 tokens.
    const journal = new Viewing().view('a.png').talk(6, 5_000);
    assert.deepEqual(journal.due(), []);
  });

  it('leave when their reading has cost as much', () => {
    const journal = new Viewing().view('a.png');
    const turns = Array.from({ length: 6 }, () => journal.talk(1, 50).due().length);
    assert.deepEqual(turns, [0, 1, 1, 1, 1, 1]);
  });

  it('leave together, because what follows them is written anyway', () => {
    const journal = new Viewing().view('a.png', 'b.png').talk(3, 1_000);
    assert.deepEqual(journal.due(), ['c-a.png', 'c-b.png']);
    assert.deepEqual(new Viewing().view('a.png').talk(3, 1_000).due(), []);
  });

  it('stay as long as replies name them', () => {
    const journal = new Viewing().view('a.png').talk(4, 50);
    assert.deepEqual(journal.due(), ['c-a.png']);
    journal.ask().reply([{ type: 'text', text: 'The curve in a.png is flat.' }]);
    assert.deepEqual(journal.due(), []);
    assert.deepEqual(journal.talk(1, 50).due(), ['c-a.png']);
  });

  it('leave for nothing when the provider reads the whole conversation again', () => {
    const slept = new Viewing().view('a.png').talk(2, 5_000);
    assert.deepEqual(slept.due(price, minuteMs), []);
    assert.deepEqual(slept.due(price, 11 * minuteMs), ['c-a.png']);
    const other = new Viewing().view('a.png').talk(2, 5_000);
    other.add({ type: 'note.pinned', number: 1, text: 'mind the units' });
    assert.deepEqual(other.due(), ['c-a.png']);
  });

  it('are not compared at an unknown price, and never leave unread', () => {
    assert.deepEqual(new Viewing().view('a.png').talk(9, 50).due('unknown'), []);
    assert.deepEqual(new Viewing().view('a.png').due(price, 90 * minuteMs), []);
  });

  it('are replaced by a line that says how to view them, from the request that records it', () => {
    const journal = new Viewing().view('a.png').talk(4, 50);
    const before = contextSize(journal.events).totalTokens;
    const built = buildHistory(journal.events, journal.due());
    journal.add({
      ...{ type: 'model.requested', turn: 9, provider: 'p', model: 'm' },
      leftOut: journal.due(),
    });
    const later = buildHistory(journal.events);
    for (const messages of [built, later]) {
      const [result] = messages.flatMap(({ content }) =>
        content.filter((block) => block.type === 'tool_result'),
      );
      assert.ok(result !== undefined && !('attachments' in result));
      assert.match(
        result.text,
        /^an image\n\[a\.png was shown above .* repeat this call of read_file\.\]$/,
      );
    }
    assert.equal(before - contextSize(journal.events).totalTokens, 1_600);
    assert.deepEqual(journal.due(), []);
  });
});
