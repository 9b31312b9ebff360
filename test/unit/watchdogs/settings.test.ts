import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'mocha';
import * as z from 'zod';
import { defaultPlateau } from '../../../src/watchdogs/plateauSettings.ts';
import { watchdogSettingsSchema } from '../../../src/watchdogs/settings.ts';

interface Setting {
  readonly default: unknown;
  readonly properties?: object;
}

describe('the settings of watchdogs in the manifest', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
    contributes: { configuration: readonly { properties: Readonly<Record<string, Setting>> }[] };
  };
  const settings = Object.assign(
    {},
    ...manifest.contributes.configuration.map(({ properties }) => properties),
  ) as Record<string, Setting | undefined>;

  it('offer what is understood, and nothing else', () => {
    const { properties } = z.toJSONSchema(watchdogSettingsSchema, { target: 'draft-7', io: 'input' });
    assert.deepEqual(settings['helios.watchdogs']?.properties, properties);
  });

  it('state the defaults of a plateau', () => {
    assert.equal(settings['helios.session.plateauExperiments']?.default, defaultPlateau.experiments);
    assert.equal(settings['helios.session.onPlateau']?.default, defaultPlateau.onPlateau);
  });
});
