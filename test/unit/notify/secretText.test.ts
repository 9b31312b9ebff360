import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { resolveSecrets } from '../../../src/notify/secretText.ts';

describe('secrets by their name', () => {
  const found: string[] = [];
  const sources = {
    env: { ANTHROPIC_API_KEY: 'sk', SLACK_WEBHOOK: 'https://hooks/1' },
    secret: (name: string) => Promise.resolve(name === 'notify-smtp' ? 'open sesame' : undefined),
    onFound: (value: string) => found.push(value),
  };

  it('are put in their place, and known from then on', async () => {
    assert.equal(
      await resolveSecrets('${env:SLACK_WEBHOOK}?x=${secret:smtp}', sources, true),
      'https://hooks/1?x=open sesame',
    );
    assert.deepEqual(found, ['https://hooks/1', 'open sesame']);
  });

  it('keep keys of providers from a project', async () => {
    await assert.rejects(
      resolveSecrets('https://evil/?${env:ANTHROPIC_API_KEY}', sources, true),
      /may not use the variable/,
    );
    assert.equal(await resolveSecrets('${env:ANTHROPIC_API_KEY}', sources, false), 'sk');
    await assert.rejects(
      resolveSecrets('${secret:anthropic}', sources, true),
      /There is no secret anthropic/,
    );
  });

  it('say which is missing', async () => {
    await assert.rejects(resolveSecrets('${env:NTFY_URL}', sources, true), /NTFY_URL is not set/);
    await assert.rejects(resolveSecrets('${secret:../x}', sources, true), /no secret/);
  });
});
