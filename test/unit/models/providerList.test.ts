import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { createProviders } from '../../../src/models/createProviders.ts';
import { keySources, providerNames, providers } from '../../../src/models/providerList.ts';

describe('the list of providers', () => {
  const made = createProviders({
    settings: () => ({ provider: 'claude', compatibleBaseUrl: 'http://127.0.0.1:1/v1' }),
    secret: () => Promise.resolve(undefined),
    storeSecret: () => Promise.resolve(),
    fetch: globalThis.fetch,
    claudeFolder: '/nowhere',
    clock: systemClock,
    logger: silentLogger,
  })();

  it('is what is made, with the same labels', () => {
    const labels = Object.fromEntries([...made].map(([id, { label }]) => [id, label]));
    assert.deepEqual(
      labels,
      Object.fromEntries(providerNames.map((id) => [id, providers[id].label])),
    );
  });

  it('names a secret once', () => {
    const secrets = keySources.map(({ secret }) => secret);
    assert.deepEqual([...new Set(secrets)], secrets);
  });

  for (const { provider, label, variables } of keySources.filter((source) => source.auth === 'key'))
    it(`says how the key of ${provider} is set`, async () => {
      assert.deepEqual(await made.get(provider)?.readiness?.(), {
        isReady: false,
        problem: `There is no key for ${label}.`,
        action: `Set ${variables[0]} in the environment, or run “Helios: Set API Key” in VS Code.`,
      });
    });
});
