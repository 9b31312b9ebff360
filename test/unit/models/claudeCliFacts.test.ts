import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { SDKMessage, SDKRateLimitInfo } from '@anthropic-ai/claude-agent-sdk';
import { childEnvironment, isMetered } from '../../../src/models/claudeCli/claudeEnv.ts';
import { failureIn } from '../../../src/models/claudeCli/claudeFailures.ts';

describe('the environment of a claude', () => {
  const own = {
    PATH: '/bin',
    HOME: '/home/ada',
    HTTPS_PROXY: 'http://proxy:3128',
    CLAUDE_CODE_OAUTH_TOKEN: 'token',
    ANTHROPIC_BASE_URL: 'http://gateway',
    OPENAI_API_KEY: 'secret-1',
    GEMINI_API_KEY: 'secret-2',
    AWS_SECRET_ACCESS_KEY: 'secret-3',
    HELIOS_HOME: '/secret-4',
    CLAUDE_CODE_MAX_RETRIES: '9',
  };

  it('has what claude needs, and no key of another', () => {
    const env = childEnvironment(own, 9000);
    for (const name of [
      'PATH',
      'HOME',
      'HTTPS_PROXY',
      'CLAUDE_CODE_OAUTH_TOKEN',
      'ANTHROPIC_BASE_URL',
    ] as const)
      assert.equal(env[name], own[name]);
    assert.doesNotMatch(JSON.stringify(env), /secret-/);
    assert.deepEqual(
      [
        env['CLAUDE_CODE_MAX_RETRIES'],
        env['DISABLE_TELEMETRY'],
        env['CLAUDE_CODE_MAX_OUTPUT_TOKENS'],
      ],
      ['0', '1', '9000'],
    );
  });

  it('has the keys of a cloud where claude is told to use it, and each call is then paid for', () => {
    const cloud = { ...own, CLAUDE_CODE_USE_BEDROCK: '1' };
    assert.equal(childEnvironment(cloud, 9000)['AWS_SECRET_ACCESS_KEY'], 'secret-3');
    assert.deepEqual(
      [
        own,
        cloud,
        { ...own, CLAUDE_CODE_USE_BEDROCK: '0' },
        { ...own, ANTHROPIC_API_KEY: 'k' },
      ].map(isMetered),
      [false, true, false, true],
    );
  });
});

describe('what a claude says of a failure', () => {
  const said = (error: string, words: string, more: object = {}) =>
    ({
      type: 'assistant',
      error,
      message: { content: [{ type: 'text', text: words }] },
      ...more,
    }) as unknown as SDKMessage;
  const nowMs = 1_000_000;
  const limit: SDKRateLimitInfo = {
    status: 'rejected',
    resetsAt: 4600,
    rateLimitType: 'five_hour',
  };

  it('waits for the end of a plan’s limit', () => {
    const failure = failureIn(said('rate_limit', 'You have hit your limit'), limit, nowMs);
    assert.deepEqual([failure?.reason, failure?.retryAfterMs], ['rate_limit', 3_600_000]);
    const other = failureIn(
      said('rate_limit', 'Slow down'),
      { ...limit, status: 'allowed' },
      nowMs,
    );
    assert.deepEqual([other?.reason, other?.retryAfterMs], ['rate_limit', undefined]);
  });

  for (const [error, words, more, reason] of [
    ['authentication_failed', 'Not logged in · Please run /login', {}, 'auth'],
    ['billing_error', 'Credit balance is too low', {}, 'auth'],
    ['model_not_found', 'no such model', { api_error_status: 404 }, 'invalid'],
    ['invalid_request', 'Prompt is too long', { api_error_status: 400 }, 'overflow'],
    [
      'server_error',
      'API Error: 529',
      { api_error_status: 529, api_error_type: 'overloaded_error' },
      'rate_limit',
    ],
    ['server_error', 'boom', { api_error_status: 500 }, 'server'],
    [
      'server_error',
      'Connection to the API was lost',
      { api_error: 'connection_failed' },
      'network',
    ],
    ['something_new', 'What is this', {}, 'server'],
  ] as const)
    it(`takes “${words}” for ${reason}`, () => {
      assert.equal(failureIn(said(error, words, more), undefined, nowMs)?.reason, reason);
    });

  it('is silent about a reply that is none', () => {
    const reply = { type: 'assistant', message: { content: [{ type: 'text', text: 'Done.' }] } };
    assert.equal(failureIn(reply as unknown as SDKMessage, undefined, nowMs), undefined);
  });
});
