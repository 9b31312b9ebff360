import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Question } from '../../../src/agent/journal/state.ts';
import { UserFacing } from '../../../src/base/errors.ts';
import { approvalIdOf, questionOf, stickyOf } from '../../../src/vscode/ui/commandTarget.ts';
import { inboxCount, inboxRows } from '../../../src/vscode/inbox/inboxRows.ts';
import { inboxList, parseAnswer } from '../../../src/vscode/inbox/inboxText.ts';
import type { TreeNode } from '../../../src/vscode/ui/treeNode.ts';
import { sessionId, startMs, stateOf } from './states.ts';

const question = (id: string, changes: Partial<Question> = {}): Question => ({
  id,
  text: `May I use ${id}?`,
  options: ['yes', 'no'],
  fallback: 'no',
  askedMs: startMs,
  deadlineMs: startMs + 3_600_000,
  ...changes,
});
const questions = (...all: readonly Question[]) => new Map(all.map((each) => [each.id, each]));
const state = stateOf({
  phase: 'sleeping',
  questions: questions(
    question('q1'),
    question('q2', { deadlineMs: startMs + 60_000 }),
    question('q3', { answer: { text: 'no', by: 'default' } }),
  ),
  stickies: new Map([[4, 'use seed 7']]),
});
const approval = {
  id: 'a1',
  sessionId,
  callId: 'c1',
  title: 'Run',
  effect: 'execute',
  detail: 'python train.py',
};
const rows = (facts: Partial<Parameters<typeof inboxRows>[0]> = {}): readonly TreeNode[] =>
  inboxRows({ sessions: [state], approvals: [approval], nowMs: startMs, ...facts });

describe('inbox view', () => {
  it('shows what waits for the user first, the most urgent question before the others', () => {
    assert.deepEqual(
      rows().map(({ label }) => label),
      [
        'Allow Helios to run a command?',
        'May I use q2?',
        'May I use q1?',
        'Sticky Notes',
        'Answered',
      ],
    );
    assert.equal(inboxCount({ sessions: [state], approvals: [approval], nowMs: startMs }), 3);
  });

  it('names the session of notes and answers by its title', () => {
    const named = { ...state, title: 'Night 1' };
    const descriptions = rows({ sessions: [named] }).map(({ description }) => description);
    assert.deepEqual(descriptions.slice(-2), ['1 · Night 1', '1 · Night 1']);
  });

  it('says what counts without an answer, and when', () => {
    const row = rows().find(({ label }) => label === 'May I use q2?');
    assert.equal(row?.description, 'default in 1 min: no');
    assert.match(row?.tooltip ?? '', /Choices: yes · no/);
    assert.match(row?.spoken ?? '', /Question: May I use q2\?/);
  });

  it('gives its commands what they need', () => {
    const [asked, urgent, , notes] = rows();
    assert.equal(approvalIdOf(asked), 'a1');
    assert.equal(approvalIdOf('a9'), 'a9');
    assert.equal(approvalIdOf({ scheme: 'helios', path: '/helios-approval/a-1/Approval' }), 'a-1');
    for (const other of [undefined, 1, null, urgent, { path: '/journal/s-1/Journal.md' }])
      assert.equal(approvalIdOf(other), undefined);
    assert.deepEqual(questionOf(urgent), { kind: 'question', questionId: 'q2', sessionId });
    const sticky = Array.isArray(notes?.children) ? (notes.children as TreeNode[])[0] : undefined;
    assert.deepEqual(stickyOf(sticky), { kind: 'sticky', number: 4, sessionId });
    assert.equal(stickyOf(urgent), undefined);
    assert.equal(questionOf(undefined), undefined);
  });

  it('gives a session without notes no twisty', () => {
    const [group] = rows({ sessions: [stateOf()], approvals: [] });
    assert.equal(group?.label, 'Sticky Notes');
    assert.equal(group.children, undefined);
    assert.notEqual(group.id, rows().find(({ label }) => label === 'Sticky Notes')?.id);
  });

  it('takes no answers for a session that is over, and shows its notes no more', () => {
    const ended = stateOf({
      ...state,
      phase: 'ended',
      end: { reason: 'user', summary: '', evidence: [] },
    });
    assert.deepEqual(
      rows({ sessions: [ended], approvals: [] }).map(({ label, context }) => [label, context]),
      [['Answered', undefined]],
    );
  });

  it('is empty without a session', () =>
    assert.deepEqual(rows({ sessions: [], approvals: [] }), []));
});

describe('/inbox and /answer', () => {
  it('list the given answers', () => {
    assert.match(inboxList(state), /^- q3: May I use q3\? → \*\*no\*\* \(default\)$/m);
    assert.match(inboxList({ questions: new Map() }), /empty/);
  });

  const open = ['q1', 'q2'];
  for (const [prompt, ids, wanted] of [
    ['q1 yes', open, { questionId: 'q1', answer: 'yes' }],
    ['Q2: only one', open, { questionId: 'q2', answer: 'only one' }],
    ['both, please', ['q2'], { questionId: 'q2', answer: 'both, please' }],
    ['quite so', ['q2'], { questionId: 'q2', answer: 'quite so' }],
  ] as const)
    it(`reads ${prompt}`, () => assert.deepEqual(parseAnswer(prompt, ids), wanted));

  for (const [prompt, ids, why] of [
    ['yes', open, /Several questions/],
    ['q1', open, /empty/],
    ['yes', [], /No question is open/],
    ['', ['q1'], /empty/],
  ] as const)
    it(`refuses “${prompt}” with ${ids.length} open`, () =>
      assert.throws(
        () => parseAnswer(prompt, ids),
        (error) => error instanceof UserFacing && why.test(error.message),
      ));
});
