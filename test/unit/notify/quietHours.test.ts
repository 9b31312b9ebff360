import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { quietUntil } from '../../../src/notify/quietHours.ts';

describe('quiet hours', () => {
  const zone = process.env.TZ;
  before(() => (process.env.TZ = 'Europe/Berlin'));
  after(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });

  const night = { from: '22:00', to: '07:00' };
  const cases: readonly (readonly [
    string,
    { from: string; to: string },
    string,
    string | undefined,
  ])[] = [
    ['before midnight', night, '2026-03-10T22:00:00+01:00', '2026-03-11T07:00:00+01:00'],
    ['after midnight', night, '2026-03-11T06:59:59+01:00', '2026-03-11T07:00:00+01:00'],
    ['at its end', night, '2026-03-11T07:00:00+01:00', undefined],
    ['by day', night, '2026-03-11T12:00:00+01:00', undefined],
    [
      'over the night that is an hour shorter',
      night,
      '2026-03-28T23:00:00+01:00',
      '2026-03-29T07:00:00+02:00',
    ],
    [
      'over the night that is an hour longer',
      night,
      '2026-10-24T23:00:00+02:00',
      '2026-10-25T07:00:00+01:00',
    ],
    [
      'until a time that the day does not have',
      { from: '22:00', to: '02:30' },
      '2026-03-28T23:00:00+01:00',
      '2026-03-29T03:30:00+02:00',
    ],
    [
      'within a day',
      { from: '12:00', to: '13:30' },
      '2026-03-11T13:29:00+01:00',
      '2026-03-11T13:30:00+01:00',
    ],
  ];
  for (const [name, hours, now, until] of cases)
    it(`hold ${name}`, () => {
      const found = quietUntil(hours, Date.parse(now));
      assert.equal(
        found === undefined ? undefined : new Date(found).toISOString(),
        until && new Date(until).toISOString(),
      );
    });
});
