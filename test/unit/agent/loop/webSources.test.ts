import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { SessionEvent } from '../../../../src/agent/journal/events.ts';
import { webSourcesOf } from '../../../../src/agent/loop/webSources.ts';
import type { SessionId } from '../../../../src/base/ids.ts';
import { untrusted } from '../../../../src/base/untrusted.ts';
import { JournalOf } from '../../../fakes/journalOf.ts';
import { runId, started } from '../../vscode/states.ts';

const finished = (more: Partial<Extract<SessionEvent, { type: 'tool.finished' }>> = {}) =>
  ({
    ...{ type: 'tool.finished', callId: 'c', name: 'read_file', text: 'ok', isError: false },
    durationMs: 1,
    ...more,
  }) as const satisfies SessionEvent;

const afterwards = (...events: readonly SessionEvent[]) => {
  const journal = new JournalOf('Reproduce https://a.org/goal, as lab.org/blog says');
  for (const event of events) journal.add(event);
  return webSourcesOf(journal.events);
};

describe('the web addresses of a session', () => {
  it('have been seen where the user wrote them, or others', () => {
    const sources = afterwards(
      { type: 'message.added', origin: 'person', text: 'Try https://b.org/said.' },
      { type: 'note.pinned', number: 1, text: 'use https://c.org/pinned' },
      finished({ links: ['https://d.org/found', 'no link'] }),
    );
    for (const url of [
      ...['https://a.org/goal', 'https://A.org/goal#part', 'https://lab.org/blog'],
      ...['https://b.org/said', 'https://c.org/pinned', 'https://d.org/found'],
    ])
      assert.ok(sources.hasSeen(url), url);
    for (const url of [
      ...['https://a.org/', 'https://a.org/goal?d=1', 'https://a.org/goal/more', 'no link', ''],
      'https://b.org/said.html',
    ])
      assert.equal(sources.hasSeen(url), false, url);
  });

  it('have not been seen where only the agent or a program wrote them', () => {
    const sources = afterwards(
      finished({ text: untrusted('https://x.org/1', 'output of run 1') }),
      { type: 'message.added', origin: 'wake', text: 'https://x.org/2' },
      {
        ...{ type: 'question.asked', questionId: 'q1', text: 'https://x.org/3' },
        ...{ options: ['https://x.org/4'], fallback: 'https://x.org/5', deadlineMs: 9 },
      },
      {
        type: 'question.answered',
        questionId: 'q1',
        answer: 'https://x.org/4',
        by: 'person',
      },
    );
    for (let number = 1; number <= 5; number += 1)
      assert.equal(sources.hasSeen(`https://x.org/${number}`), false, String(number));
  });

  it('have been seen in an answer that the user wrote, and where the user approved them', () => {
    const decided = (by: 'person' | 'mode', url: string): SessionEvent => ({
      ...{ type: 'permission.decided', callId: 'c', isAllowed: true, by, why: '' },
      accesses: [{ kind: 'host', host: 'x', url }],
    });
    const sources = afterwards(
      {
        ...{ type: 'question.asked', questionId: 'q1', text: 'Which?', options: ['a'] },
        ...{ fallback: 'a', deadlineMs: 9 },
      },
      {
        ...{ type: 'question.answered', questionId: 'q1', by: 'person' },
        answer: 'https://x.org/own',
      },
      decided('person', 'https://x.org/approved'),
      decided('mode', 'https://x.org/passed'),
    );
    assert.ok(sources.hasSeen('https://x.org/own'));
    assert.ok(sources.hasSeen('https://x.org/approved'));
    assert.equal(sources.hasSeen('https://x.org/passed'), false);
  });

  it('of the goal of a child do not count, since its parent wrote it', () => {
    const goal = 'Read https://x.org/1';
    const sources = webSourcesOf([{ ...started(goal), parent: 's-0' as SessionId }]);
    assert.ok(webSourcesOf([started(goal)]).hasSeen('https://x.org/1'));
    assert.equal(sources.hasSeen('https://x.org/1'), false);
    assert.ok(sources.hasReadOthers());
  });

  it('are remembered up to a number, those of the user apart', () => {
    const journal = new JournalOf('Read https://a.org/goal');
    const pageOf = (page: number) =>
      Array.from({ length: 500 }, (_, index) => `https://x.org/${page * 500 + index}`);
    for (let page = 0; page < 41; page += 1) journal.add(finished({ links: pageOf(page) }));
    const sources = webSourcesOf(journal.events);
    assert.equal(sources.hasSeen('https://x.org/0'), false);
    assert.ok(sources.hasSeen('https://x.org/500'));
    assert.ok(sources.hasSeen('https://x.org/20499'));
    assert.ok(sources.hasSeen('https://a.org/goal'));
  });

  it('are those of the events so far, and the same after a restart', () => {
    const journal = new JournalOf();
    assert.equal(webSourcesOf(journal.events).hasSeen('https://d.org/found'), false);
    journal.add(finished({ links: ['https://d.org/found'] }));
    assert.ok(webSourcesOf(journal.events).hasSeen('https://d.org/found'));
    assert.ok(webSourcesOf([...journal.events]).hasSeen('https://d.org/found'));
  });
});

describe('text of others', () => {
  it('has not been read at the start, nor with results of Helios itself', () => {
    const own: SessionEvent = { type: 'message.added', origin: 'wake', text: 'Run 1 ended.' };
    assert.equal(afterwards(finished(), own).hasReadOthers(), false);
  });

  const marked = untrusted('loss 1', 'output of run 1');
  const ended = { kind: 'failed', code: 1 } as const;
  for (const [name, event] of [
    ['a marked result', finished({ text: marked })],
    ['a marked field', finished({ text: JSON.stringify({ stdout: marked }) })],
    ['a picture', finished({ attachmentFiles: [] })],
    ['a page', finished({ links: [] })],
    ['a digest', { type: 'message.added', origin: 'wake', text: marked }],
    ['a table of a sweep', { type: 'sweep.ended', sweepId: 's', why: 'done', text: marked }],
    [
      'the end of a run',
      {
        ...{ type: 'run.ended', runId: runId(1), verdict: ended, endedMs: 2, metrics: [] },
        outputTail: 'Traceback',
      },
    ],
  ] as const satisfies readonly (readonly [string, SessionEvent])[])
    it(`has been read with ${name}`, () => assert.ok(afterwards(event).hasReadOthers()));
});
