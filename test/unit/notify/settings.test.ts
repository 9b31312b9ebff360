import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  channelSchema,
  notificationSettingsSchema,
  quietHoursSchema,
} from '../../../src/notify/settings.ts';

const email = { type: 'email', host: 'mail.lab', from: 'helios@lab', to: 'ada@lab' };
const webhook = { type: 'webhook', url: 'https://ntfy.sh/lab' };

const channels: Readonly<Record<'taken' | 'refused', readonly unknown[]>> = {
  taken: [
    { type: 'vscode' },
    { type: 'desktop' },
    webhook,
    {
      ...webhook,
      url: 'http://ntfy.lab:8080/lab',
      method: 'GET',
      format: 'ntfy',
      headers: { A: '${secret:x}' },
    },
    { ...webhook, url: '${env:SLACK_WEBHOOK}' },
    email,
    { ...email, user: 'ada' },
    {
      ...email,
      user: 'ada',
      password: '${secret:smtp}',
      port: 25,
      security: 'none',
      to: ['a@lab', 'b@lab'],
    },
    { ...email, port: 65_535 },
    { type: 'command', command: 'say done' },
    { type: 'command', command: 'say done', timeoutSeconds: 600 },
  ],
  refused: [
    { type: 'pigeon' },
    { type: 'vscode', url: 'https://x' },
    { type: 'webhook' },
    { ...webhook, url: 'ftp://ntfy.sh/lab' },
    { ...webhook, url: 'https:///lab' },
    { ...webhook, url: 'x https://ntfy.sh' },
    { ...webhook, url: 'https://${SLACK}' },
    { ...webhook, url: 'https://${file:x}/' },
    { ...webhook, url: 'https://${env:}/' },
    { ...webhook, headers: { A: 'Bearer ${TOKEN}' } },
    { ...webhook, headers: { '': 'x' } },
    { ...webhook, method: 'DELETE' },
    { ...email, password: '${secret:smtp}' },
    { ...email, user: 'ada', password: '' },
    { ...email, port: 0 },
    { ...email, port: 65_536 },
    { ...email, port: 1.5 },
    { ...email, to: [] },
    { ...email, to: Array.from({ length: 21 }, () => 'a@lab') },
    { ...email, host: '' },
    { type: 'command', command: '' },
    { type: 'command', command: 'x', timeoutSeconds: 0 },
    { type: 'command', command: 'x', timeoutSeconds: 601 },
  ],
};

describe('settings of notifications', () => {
  for (const [verdict, all] of Object.entries(channels))
    for (const channel of all)
      it(`${verdict}: ${JSON.stringify(channel).slice(0, 120)}`, () => {
        assert.equal(channelSchema.safeParse(channel).success, verdict === 'taken');
      });

  for (const [from, to, isTaken] of [
    ['22:00', '07:30', true],
    ['00:00', '23:59', true],
    ['24:00', '07:30', false],
    ['22:60', '07:30', false],
    ['2:00', '07:30', false],
    ['22:00', '22:00', false],
    ['22:00', '', false],
  ] as const)
    it(`quiet from ${from} to ${to}: ${isTaken ? 'taken' : 'refused'}`, () => {
      assert.equal(quietHoursSchema.safeParse({ from, to }).success, isTaken);
    });

  it('name what there is, and not too many channels', () => {
    const isTaken = (settings: unknown): boolean =>
      notificationSettingsSchema.safeParse(settings).success;
    assert.ok(isTaken({}));
    assert.ok(
      isTaken({ channels: Array.from({ length: 20 }, () => webhook), events: ['goal_met'] }),
    );
    assert.ok(!isTaken({ channels: Array.from({ length: 21 }, () => webhook) }));
    assert.ok(!isTaken({ events: ['lunch'] }));
    assert.ok(!isTaken({ channel: [] }));
  });
});
