import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { checkKey } from '../../../src/compose/keyCheck.ts';
import { keyText } from '../../../src/vscode/models/keyText.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import type { WireServer } from '../../fakes/wire.ts';
import { startWireAnthropic } from '../../fakes/wireAnthropic.ts';

const anthropic = { label: 'Anthropic', provider: 'claude' };

describe('an API key', () => {
  let server: WireServer;
  before(async () => {
    server = await startWireAnthropic();
  });
  after(() => server.close());

  const check = (key: string, anthropicBaseUrl = server.url) =>
    checkKey({
      provider: 'claude',
      secret: 'anthropic',
      key,
      settings: () => ({ provider: 'claude', anthropicBaseUrl }),
      clock: new ManualClock(),
    });

  it('is accepted after one call that costs nothing', async () => {
    server.offer([{ id: 'claude-opus-5-5', type: 'model', display_name: 'Opus' }]);
    const answer = await check('a-good-key');
    assert.equal(keyText(anthropic, answer), 'Anthropic accepts this key.');
    assert.equal(server.listings.at(-1)?.headers.authorization, 'Bearer a-good-key');
    assert.equal(server.requests.length, 0);
  });

  it('is not stored when it is refused, and stays out of the text', async () => {
    server.offer({ status: 401, message: 'invalid x-api-key nonsense-key' });
    const text = keyText(anthropic, await check('nonsense-key'));
    assert.equal(text, 'Not stored. Anthropic answered 401: invalid x-api-key [key].');
  });

  it('is stored unchecked where nothing answers', async () => {
    const answer = await check('a-good-key', 'http://127.0.0.1:1');
    assert.equal(answer.kind, 'unknown');
    assert.match(
      keyText(anthropic, answer),
      /^The key for Anthropic was stored, but not checked\./,
    );
  });

  it('of an endpoint is not called accepted, because its list may be open to anybody', () => {
    const endpoint = { label: 'Lab', provider: 'lab' };
    assert.match(keyText(endpoint, { kind: 'accepted' }), /was stored\. The endpoint answers\.$/);
  });
});
