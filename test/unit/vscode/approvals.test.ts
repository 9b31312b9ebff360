import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ApprovalRequest } from '../../../src/agent/contract/ports.ts';
import { Approvals } from '../../../src/vscode/window/approvals.ts';
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
    const asked: string[] = [];
    approvals.onDidAsk(({ callId }) => asked.push(callId));
    const answer = approvals.ask(request('c1'), new AbortController().signal);
    assert.deepEqual(asked, ['c1']);
    assert.equal(approvals.answer('c1', 'allow_session'), true);
    assert.equal(approvals.answer('c1', 'deny'), false);
    assert.equal(await answer, 'allow_session');
    assert.deepEqual(approvals.pending(), []);
  });

  it('are withdrawn when the answer is no longer wanted', async () => {
    const approvals = new Approvals();
    let changes = 0;
    approvals.onDidChange(() => (changes += 1));
    const abort = new AbortController();
    const answer = approvals.ask(request('c1'), abort.signal);
    abort.abort();
    await assert.rejects(answer, /withdrawn/);
    assert.equal(approvals.answer('c1', 'allow'), false);
    assert.equal(changes, 2);
    await assert.rejects(approvals.ask(request('c2'), abort.signal));
    assert.deepEqual(approvals.pending(), []);
  });
});
