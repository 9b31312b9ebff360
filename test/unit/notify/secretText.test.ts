import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { resolveSecrets, withoutSecrets } from '../../../src/notify/secretText.ts';

describe('secrets by their name', () => {
  const found: string[] = [];
  const sources = {
    env: { SLACK_WEBHOOK: 'https://hooks/1' },
    secret: (name: string) => Promise.resolve(name === 'notify-smtp' ? 'open sesame' : undefined),
    onFound: (value: string) => found.push(value),
  };

  it('are put in their place, and known from then on', async () => {
    assert.equal(
      await resolveSecrets('${env:SLACK_WEBHOOK}?x=${secret:smtp}', sources),
      'https://hooks/1?x=open sesame',
    );
    assert.deepEqual(found, ['https://hooks/1', 'open sesame']);
  });

  it('keep keys of providers from settings', async () => {
    await assert.rejects(
      resolveSecrets('${secret:anthropic}', sources),
      /There is no secret anthropic/,
    );
  });

  for (const name of ['${env:SLACK_WEBHOOK}', '${secret:smtp}'])
    it(`refuse ${name} in a project`, () => {
      assert.equal(withoutSecrets('https://ntfy.sh/lab'), 'https://ntfy.sh/lab');
      assert.throws(() => withoutSecrets(`https://evil/?${name}`), {
        message: `${name} in helios.json is a reference to your secrets, which a project cannot use: declare the channel in your own notification settings.`,
      });
    });

  it('say which is missing', async () => {
    await assert.rejects(resolveSecrets('${env:NTFY_URL}', sources), /NTFY_URL is not set/);
    await assert.rejects(resolveSecrets('${secret:../x}', sources), /no secret/);
  });
});
