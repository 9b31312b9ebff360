import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { failureOf, retryReason } from '../../../src/models/failures.ts';
import type { ModelFailureReason } from '../../../src/models/model.ts';

const context = { label: 'Lab', keyHint: 'Set the key.', nowMs: Date.UTC(2026, 0, 1) };
const error = (message: string, fields: object = {}): Error =>
  Object.assign(new Error(message), fields);
const http = (status: number, kind: string, message = 'words'): Error =>
  error(message, { status, headers: new Headers(), error: { error: { type: kind, message } } });

describe('failureOf', () => {
  const cases: readonly [name: string, thrown: unknown, reason: ModelFailureReason][] = [
    [
      'a refused connection',
      error('fetch failed', { cause: error('', { code: 'ECONNREFUSED' }) }),
      'network',
    ],
    [
      'a stream that was cut',
      new TypeError('terminated', { cause: error('x', { code: 'UND_ERR_SOCKET' }) }),
      'network',
    ],
    ['a garbled stream', new SyntaxError('Unexpected end of JSON input'), 'network'],
    ['a time-out of the SDK', error('Request timed out.', { status: undefined }), 'network'],
    ['408', http(408, ''), 'network'],
    ['a conflict', http(409, ''), 'server'],
    ['a gateway', error('502 status code (no body)', { status: 502 }), 'server'],
    [
      'an account without credit',
      http(400, 'invalid_request_error', 'Your credit balance is too low'),
      'credit',
    ],
    ['an account without payment', http(402, 'billing_error'), 'credit'],
    [
      'a rate limit whose words speak of billing',
      http(429, 'RESOURCE_EXHAUSTED', 'check your plan and billing'),
      'rate_limit',
    ],
    [
      'a rate limit that counts tokens',
      http(429, 'tokens', 'Request too large: too many tokens'),
      'rate_limit',
    ],
    [
      'output that does not fit',
      http(400, '', 'input length and `max_tokens` exceed context limit: 9 > 8'),
      'overflow',
    ],
    [
      'a small local server',
      http(400, 'exceed_context_size_error', 'the request exceeds the available context size'),
      'overflow',
    ],
    ['a policy', http(400, 'content_policy_violation'), 'refused'],
    ['a flagged prompt', http(400, 'invalid_prompt', 'flagged under our usage policy'), 'refused'],
    [
      'a fault of our own',
      new TypeError("Cannot read properties of undefined (reading 'x')"),
      'invalid',
    ],
    ['something that is no error', 'oh', 'invalid'],
    [
      'an error in a stream',
      error('', { error: { error: { type: 'api_error', message: 'Internal' } } }),
      'server',
    ],
    [
      'an unknown error in a stream',
      error('odd', { error: { code: 'odd', message: 'odd' } }),
      'server',
    ],
    [
      'a refused key in a stream',
      error('', { error: { error: { type: 'authentication_error', message: 'no' } } }),
      'auth',
    ],
  ];
  for (const [name, thrown, reason] of cases)
    it(`takes ${name} for ${reason}`, () =>
      assert.equal(failureOf(thrown, context).reason, reason));

  it('gives the words of the provider, the status, and for a key what to do', () => {
    assert.deepEqual(failureOf(http(401, 'authentication_error', 'invalid x-api-key'), context), {
      reason: 'auth',
      status: 401,
      problem: 'Lab answered 401: invalid x-api-key.',
      message: 'Lab answered 401: invalid x-api-key. Set the key.',
    });
  });

  it('advises to add credit, not to set a key, where the credit is used up', () => {
    const refusal = http(400, 'invalid_request_error', 'Your credit balance is too low');
    const billingUrl = 'https://lab.example/billing';
    const { message, problem } = failureOf(refusal, { ...context, billingUrl });
    assert.match(
      problem ?? '',
      /^Lab answered 400: the account has no credit left for this: .*\.$/,
    );
    assert.equal(message, `${problem} Add credit at ${billingUrl}`);
  });

  it('says that requests are limited, and why else a call is repeated', () => {
    const limited = failureOf(http(529, 'overloaded_error', 'Overloaded'), context);
    assert.equal(retryReason('Lab', limited), 'Lab is limiting requests');
    const down = failureOf(http(500, 'api_error', 'down'), context);
    assert.equal(retryReason('Lab', down), 'Lab answered 500: down');
    assert.equal(retryReason('Lab', { reason: 'network', message: 'Cut.' }), 'Cut');
  });

  it('gives the last cause, and no endless or unclean text', () => {
    const cause = error('Connection error.', {
      cause: error('fetch failed', { cause: error('connect ECONNREFUSED ::1') }),
    });
    assert.equal(failureOf(cause, context).message, 'Lab: connect ECONNREFUSED ::1.');
    const circle = error('round');
    circle.cause = circle;
    assert.equal(failureOf(circle, context).message, 'Lab: round.');
    const page = failureOf(http(502, '', `<html>\u001b[31m${'x'.repeat(5000)}`), context).message;
    assert.ok(page.length < 700 && !page.includes('\u001b'));
  });

  const waits: readonly [headers: Record<string, string>, retryAfterMs: number | undefined][] = [
    [{ 'retry-after': '1.5' }, 1500],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 23:59:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ];
  for (const [headers, retryAfterMs] of waits)
    it(`reads ${JSON.stringify(headers)}`, () => {
      const failure = failureOf(
        error('slow down', { status: 429, headers: new Headers(headers) }),
        context,
      );
      assert.equal(failure.retryAfterMs, retryAfterMs);
    });
});
