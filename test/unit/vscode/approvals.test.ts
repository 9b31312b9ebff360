import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ApprovalRequest } from '../../../src/agent/contract/ports.ts';
import { Approvals, type Approval } from '../../../src/vscode/window/approvals.ts';
import { sessionId } from './states.ts';

const request = (callId: string): ApprovalRequest => ({
  sessionId,
  callId,
  title: 't',
  effect: 'execute',
  detail: 'd',
});

describe('approvals', () => {
  it('are answered once, from wherever they are shown', async () => {
    const approvals = new Approvals();
    const asked: Approval[] = [];
    approvals.onDidAsk((approval) => asked.push(approval));
    const answer = approvals.ask(request('c1'), new AbortController().signal);
    const [{ id, callId } = assert.fail()] = asked;
    assert.equal(callId, 'c1');
    assert.equal(approvals.answer(id, 'allow_session'), true);
    assert.equal(approvals.answer(id, 'deny'), false);
    assert.equal(await answer, 'allow_session');
    assert.deepEqual(approvals.pending(), []);
  });

  it('are withdrawn when the answer is no longer wanted', async () => {
    const approvals = new Approvals();
    let changes = 0;
    approvals.onDidChange(() => (changes += 1));
    const abort = new AbortController();
    const answer = approvals.ask(request('c1'), abort.signal);
    const [{ id } = assert.fail()] = approvals.pending();
    abort.abort();
    await assert.rejects(answer, /withdrawn/);
    assert.equal(approvals.answer(id, 'allow'), false);
    assert.equal(changes, 2);
    await assert.rejects(approvals.ask(request('c2'), abort.signal));
    assert.deepEqual(approvals.pending(), []);
  });

  it('are told apart although the model gave two calls the same id', async () => {
    const approvals = new Approvals();
    const { signal } = new AbortController();
    const answers = [approvals.ask(request('call_0'), signal)];
    const [first = assert.fail()] = approvals.pending();
    answers.push(approvals.ask({ ...request('call_0'), detail: 'other' }, signal));
    const [, second = assert.fail()] = approvals.pending();
    approvals.answer(second.id, 'deny');
    assert.deepEqual(approvals.pending(), [first]);
    approvals.answer(first.id, 'allow');
    assert.deepEqual(await Promise.all(answers), ['allow', 'deny']);
    void approvals.ask(request('call_0'), signal);
    assert.equal(approvals.answer(first.id, 'allow'), false, 'a button of an earlier call');
  });
});
