import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  contextSize,
  estimatedTokens,
  promptTokens,
  replaceUpTo,
} from '../../../../src/agent/context/contextSize.ts';
import { JournalOf } from '../../../fakes/journalOf.ts';

const words = (chars: number): string => 'abcd '.repeat(chars / 5);
const within = (value: number, low: number, high: number): void =>
  assert.ok(value >= low && value <= high, `${value} is not from ${low} to ${high}`);

describe('contextSize', () => {
  it('counts the prompt and the tools as long as nothing is measured', () => {
    const { events } = new JournalOf();
    const tool = { name: 't', description: words(400), inputSchema: { type: 'object' } };
    const prompt = promptTokens([{ text: words(4_000), isStable: true }], [tool]);
    within(prompt, 1_100, 1_150);
    assert.equal(estimatedTokens(events, prompt) - estimatedTokens(events), prompt);
  });

  it('takes what was measured, and the reply, and estimates only what came after', () => {
    const journal = new JournalOf().turn(words(4_000), {
      inputTokens: 7_000,
      cacheReadTokens: 2_000,
      outputTokens: 50,
    });
    within(estimatedTokens(journal.events), 9_050 + 1_000, 9_050 + 1_020);
  });

  it('counts what was said while the request was under way, which it did not hold', () => {
    const early = new JournalOf()
      .ask()
      .say(words(8_000))
      .reply([{ type: 'text', text: 'ok' }], { inputTokens: 500 });
    within(estimatedTokens(early.events), 2_500, 2_530);
  });

  it('learns from the calls of the session how many characters a token has', () => {
    const journal = new JournalOf();
    // Twice as many tokens as the characters suggest, beside a prompt of 3,000.
    for (let turn = 0; turn < 6; turn += 1)
      journal.turn(words(4_000), { inputTokens: 3_000 + 2 * turn * 1_030, outputTokens: 20 });
    const { factor, fixedTokens } = contextSize(journal.events);
    within(factor, 1.9, 2.1);
    within(fixedTokens, 2_900, 3_100);
    const before = estimatedTokens(journal.events);
    within(estimatedTokens(journal.say(words(40_000)).events.slice()) - before, 19_000, 21_000);
  });

  it('goes on with what it learned after a checkpoint', () => {
    const journal = new JournalOf();
    for (let turn = 0; turn < 6; turn += 1)
      journal.turn(words(4_000), { inputTokens: 3_000 + 2 * turn * 1_030 });
    journal.add({
      type: 'context.checkpointed',
      upTo: journal.lastId,
      briefing: words(2_000),
      tokensBefore: 1,
    });
    within(estimatedTokens(journal.events), 3_000 + 900, 3_000 + 1_150);
  });

  it('believes no figures by which a token is three times as long or half as short', () => {
    const factorOf = (perTurn: number): number => {
      const journal = new JournalOf();
      for (let turn = 0; turn < 6; turn += 1)
        journal.turn(words(4_000), { inputTokens: 3_000 + turn * perTurn });
      return contextSize(journal.events).factor;
    };
    within(factorOf(2_900), 2.7, 2.9);
    assert.equal(factorOf(9_000), 3);
    assert.equal(factorOf(300), 1);
  });

  it('forgets with a checkpoint what the model had thought in the turns that are replaced', () => {
    const journal = new JournalOf().turn(words(4_000), { inputTokens: 3_000, outputTokens: 9_000 });
    within(estimatedTokens(journal.events), 12_000 + 1_000, 12_000 + 1_020);
    journal.add({
      type: 'context.checkpointed',
      upTo: journal.lastId,
      briefing: words(2_000),
      tokensBefore: 1,
    });
    within(estimatedTokens(journal.events), 3_000 + 450, 3_000 + 520);
  });

  it('weighs anew for another model, with what that one has shown', () => {
    const journal = new JournalOf().turn(words(4_000), { inputTokens: 50_000 });
    journal.add({ type: 'session.model_changed', provider: 'p', model: 'other' });
    within(estimatedTokens(journal.events, 2_000), 3_000, 3_100);
    journal
      .ask('other')
      .reply([{ type: 'text', text: 'ok' }], { inputTokens: 4_500, outputTokens: 5 });
    within(estimatedTokens(journal.events, 2_000), 4_500, 4_520);
    journal.add({ type: 'session.model_changed', provider: 'p', model: 'm' });
    within(estimatedTokens(journal.events, 2_000), 50_000, 51_100);
  });

  it('does not believe figures that leave out what was cached', () => {
    const journal = new JournalOf();
    for (let turn = 0; turn < 20; turn += 1) journal.turn(words(4_000), { inputTokens: 300 });
    within(estimatedTokens(journal.events), 10_000, 22_000);
  });

  it('knows Chinese from English, and a picture from the letters that carry it', () => {
    const chinese = new JournalOf().say('训练一个更好的模型'.repeat(100));
    within(estimatedTokens(chinese.events), 900, 950);
    const image = {
      type: 'attachment',
      mediaType: 'image/png',
      name: 'a.png',
      base64: 'A'.repeat(4_000_000),
    } as const;
    const pdf = { ...image, mediaType: 'application/pdf', base64: 'A'.repeat(600_000) };
    const shown = new JournalOf()
      .ask()
      .reply([{ type: 'tool_call', id: 'c', name: 'read_file', input: {} }])
      .add({ ...result('c'), attachments: [image] })
      .add({ ...result('d'), attachments: [pdf] });
    within(estimatedTokens(shown.events), 1_600 + 25_000, 1_600 + 25_200);
    const [imageFile, pdfFile] = [image, pdf].map(({ mediaType, base64 }) => {
      return { hash: 'a'.repeat(64), mediaType, sizeBytes: Buffer.from(base64, 'base64').length };
    });
    assert.ok(imageFile && pdfFile);
    const named = new JournalOf()
      .ask()
      .reply([{ type: 'tool_call', id: 'c', name: 'read_file', input: {} }])
      .add({ ...result('c'), attachmentFiles: [imageFile] })
      .add({ ...result('d'), attachmentFiles: [pdfFile] });
    assert.equal(estimatedTokens(named.events), estimatedTokens(shown.events));
  });

  it('remembers what a model refused, until it takes as much', () => {
    const journal = new JournalOf()
      .turn(words(40_000), { inputTokens: 500 })
      .ask()
      .reply([], {}, 'error');
    const refused = contextSize(journal.events).refusedWeight ?? 0;
    within(refused, 10_000, 10_100);
    journal.ask().reply([{ type: 'text', text: 'fits' }], { inputTokens: 12_000 }, 'stop');
    assert.equal(contextSize(journal.events).refusedWeight, undefined);
  });

  it('gives the same for events told one by one and all at once', () => {
    const journal = new JournalOf();
    const sizes: unknown[] = [];
    for (let turn = 0; turn < 30; turn += 1) {
      journal.turn(words(1_000 + turn * 50), { inputTokens: 1_000 + 300 * turn });
      if (turn % 7 === 3)
        journal.add({
          type: 'context.checkpointed',
          upTo: journal.lastId,
          briefing: 'short',
          tokensBefore: 1,
        });
      sizes.push(contextSize(journal.events));
      assert.deepEqual(contextSize([...journal.events]), sizes.at(-1));
    }
  });

  it('keeps as many whole turns as fit, the newest by a measure of its own', () => {
    const journal = new JournalOf().turn(words(4_000)).turn(words(4_000)).turn(words(12_000));
    const { events } = journal;
    const turns = events
      .filter(({ type }) => type === 'model.requested')
      .map(({ id }) => Number(id.slice(1)));
    const before = (turn: number): string => `e${(turns[turn] ?? 0) - 1}`;
    assert.equal(replaceUpTo(events, 4_300, 4_300), before(1));
    assert.equal(replaceUpTo(events, 3_500, 3_500), before(2));
    assert.equal(replaceUpTo(events, 2_000, 3_500), before(2));
    assert.equal(replaceUpTo(events, 2_000, 2_000), journal.lastId);
    journal.add({
      type: 'context.checkpointed',
      upTo: journal.lastId,
      briefing: 'short',
      tokensBefore: 1,
    });
    assert.equal(replaceUpTo(events, 10, 10), undefined);
  });
});

const result = (callId: string) =>
  ({
    type: 'tool.finished',
    callId,
    name: 'read_file',
    text: '',
    isError: false,
    durationMs: 1,
  }) as const;
