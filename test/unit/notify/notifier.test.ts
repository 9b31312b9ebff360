import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, it } from 'mocha';
import { silentLogger } from '../../../src/base/logger.ts';
import { NotifyFailure } from '../../../src/notify/channel.ts';
import { HeldMessages } from '../../../src/notify/heldMessages.ts';
import type { Message, Notification } from '../../../src/notify/notification.ts';
import { Notifier } from '../../../src/notify/notifier.ts';
import type { NotificationSettings, NotifyEvent } from '../../../src/notify/settings.ts';
import { writeFileAtomic } from '../../../src/storage/atomicFile.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { notifySite } from '../../fakes/notifySite.ts';
import { scratchFolder, until } from '../../fakes/scratch.ts';
import { message } from './message.ts';

const minute = 60_000;
const noon = new Date(2026, 2, 10, 12, 0).getTime();

describe('the notifier', () => {
  let clock: ManualClock;
  let shown: Message[];
  let warnings: string[];
  let isOnline: boolean;
  let allowed: Set<string>;
  beforeEach(() => {
    allowed = new Set(['yes']);
    isOnline = false;
    clock = new ManualClock(noon);
    shown = [];
    warnings = [];
  });

  const folder = scratchFolder();
  const store = (): HeldMessages =>
    new HeldMessages({ folder: path.join(folder(), 'held'), write: writeFileAtomic });
  const notifier = (settings: NotificationSettings = {}, hasWindow = true): Notifier =>
    new Notifier({
      held: store(),
      clock,
      logger: { ...silentLogger, warn: (text) => warnings.push(text) },
      fetch: (...call) =>
        isOnline ? fetch(...call) : Promise.reject(new TypeError('fetch failed')),
      env: { PATH: '/nowhere' },
      caFile: () => undefined,
      redact: (text) => text.replaceAll('hunter2', '[redacted]'),
      settings: () => settings,
      publicNetwork: {
        fetch: () => Promise.reject(new NotifyFailure('settings', 'in a private network')),
        addressOf: (host) => Promise.resolve(host),
      },
      isAllowed: (allowance) => Promise.resolve(allowed.has(allowance)),
      secrets: { env: {}, secret: () => Promise.resolve(undefined), onFound: () => undefined },
      ...(hasWindow && { show: (one) => shown.push(one) }),
    });

  const about = (event: NotifyEvent, other: Partial<Notification> = {}): Notification => {
    const { event: _, ...notification } = message({
      events: [event],
      title: event,
      body: '',
      ...other,
    });
    return notification;
  };
  const titles = (): string[] => shown.map(({ title }) => title);

  it('tells the window of what matters where nothing is set', async () => {
    const one = notifier();
    one.notify(about('goal_met'));
    one.notify(about('task_complete'));
    await one.settled();
    assert.deepEqual(titles(), ['goal_met']);
  });

  it('tells under the name that was asked for', async () => {
    const one = notifier({ events: ['session_ended'] });
    one.notify(about('goal_met', { events: ['goal_met', 'session_ended'] }));
    await one.settled();
    assert.deepEqual(
      shown.map(({ event }) => event),
      ['session_ended'],
    );
  });

  it('takes secrets out of all it says', async () => {
    const one = notifier();
    one.notify(about('error', { title: 'hunter2', body: 'is hunter2', goal: 'find hunter2' }));
    await one.settled();
    assert.doesNotMatch(JSON.stringify(shown), /hunter2/);
  });

  it('takes secrets out of why something did not arrive, too', async () => {
    const one = notifier({ channels: [{ type: 'webhook', url: '${env:hunter2}' }] });
    one.notify(about('error'));
    await one.settled();
    const tried = await one.try(about('error'));
    for (const text of [shown[0]?.body, warnings[0], tried[0]?.problem])
      assert.match(text ?? '', /The variable \[redacted\] is not set/);
    assert.doesNotMatch(JSON.stringify([shown, warnings, tried]), /hunter2/);
  });

  it('sums up what is too much', async () => {
    const one = notifier({ events: ['task_complete'] });
    for (let run = 1; run <= 25; run += 1)
      one.notify(about('task_complete', { title: `Run ${run}` }));
    await one.settled();
    assert.deepEqual(titles(), ['Run 1', 'Run 2', 'Run 3', 'Run 4', 'Run 5']);
    await clock.advance(2 * minute);
    await one.settled();
    const [, last] = [shown.length, shown.at(-1)];
    assert.equal(shown.length, 6);
    assert.equal(last?.title, 'Helios: 20 notifications');
    assert.match(last?.body ?? '', /^Run 21\n.*Run 25\nand 15 more runs ended$/s);
    await clock.advance(60 * minute);
    assert.equal(shown.length, 6, 'once');
  });

  it('sends what waits when the process ends', async () => {
    const one = notifier({ events: ['task_complete'] });
    for (let run = 1; run <= 6; run += 1)
      one.notify(about('task_complete', { title: `Run ${run}` }));
    await one.close();
    assert.equal(titles().at(-1), 'Run 6');
    assert.equal(clock.pendingTimers, 0);
  });

  it('holds the end of the process up for twelve seconds at most', async () => {
    const site = await notifySite();
    site.replies.push('hang', 'hang');
    isOnline = true;
    const one = notifier({ channels: [{ type: 'webhook', url: site.url }] });
    one.notify(about('error'));
    await site.taken(1);
    let isClosed = false;
    const timers = clock.pendingTimers;
    const closed = one.close().then(() => (isClosed = true));
    await until('it waits for the message', () => clock.pendingTimers > timers);
    await clock.advance(11_999);
    assert.equal(isClosed, false);
    await clock.advance(1);
    await closed;
    await site.close();
  });

  it('is quiet in quiet hours, and sums up when they end', async () => {
    const one = notifier({
      events: ['task_complete', 'error', 'alarm'],
      quietHours: { from: '11:00', to: '13:00', except: ['error'] },
    });
    one.notify(about('task_complete', { title: 'Run 1' }));
    one.notify(about('error'));
    one.notify(about('alarm', { title: 'Run 2: NaN' }));
    await clock.advance(59 * minute);
    await one.settled();
    assert.deepEqual(titles(), ['error']);
    await clock.advance(minute);
    await one.settled();
    assert.deepEqual(titles(), ['error', 'During quiet hours: 2 notifications']);
    assert.equal(shown.at(-1)?.body, 'Run 1\nRun 2: NaN');
    assert.equal(shown.at(-1)?.event, 'alarm');
  });

  const quiet = { from: '11:00', to: '13:00' };
  const held = {
    events: ['task_complete', 'error', 'alarm'],
    quietHours: quiet,
  } satisfies NotificationSettings;

  it('leaves what it holds back to the next process, which tells it once', async () => {
    const first = notifier(held);
    first.notify(
      about('task_complete', { title: 'Run 1 of hunter2', metrics: { loss: NaN }, atMs: noon }),
    );
    first.notify(about('alarm', { title: 'Run 2: NaN', atMs: noon + 1 }));
    await first.close();
    const files = readdirSync(path.join(folder(), 'held'), {
      recursive: true,
      withFileTypes: true,
    });
    const texts = files
      .filter((file) => file.isFile())
      .map((file) => readFileSync(path.join(file.parentPath, file.name), 'utf8'));
    assert.equal(texts.length, 2);
    assert.doesNotMatch(texts.join(), /hunter2/);
    const second = notifier(held);
    await second.settled();
    second.notify(about('task_complete', { title: 'Run 3', atMs: noon + 2 }));
    await clock.advance(59 * minute);
    await second.settled();
    assert.deepEqual(titles(), []);
    await clock.advance(minute);
    await second.settled();
    assert.deepEqual(titles(), ['During quiet hours: 3 notifications']);
    assert.match(shown[0]?.body ?? '', /Run 1 of .*\nRun 2: NaN\nRun 3$/);
    await second.close();
    const third = notifier(held);
    await clock.advance(60 * minute);
    await third.close();
    assert.equal(shown.length, 1, 'once');
    assert.equal(clock.pendingTimers, 0);
  });

  it('is told by one of two that are there when the quiet ends, as one', async () => {
    const both = [notifier(held), notifier(held)];
    for (const [index, one] of both.entries())
      one.notify(about('error', { title: `Error ${index + 1}` }));
    await Promise.all(both.map((one) => one.settled()));
    await clock.advance(60 * minute);
    await Promise.all(both.map((one) => one.settled()));
    assert.deepEqual(titles(), ['During quiet hours: 2 notifications']);
  });

  it('tells at once what became due while nobody was there', async () => {
    const first = notifier(held);
    first.notify(about('error'));
    await first.close();
    await clock.advance(3 * 60 * minute);
    const second = notifier(held);
    await second.settled();
    await clock.advance(0);
    await second.settled();
    assert.deepEqual(titles(), ['During quiet hours: error']);
  });

  it('tells what a process died over between taking it and telling it', async () => {
    const first = notifier(held);
    first.notify(about('error'));
    await first.close();
    await clock.advance(60 * minute);
    const { messages } = await store().take(
      { channel: { type: 'vscode' }, isProject: false },
      clock.now(),
    );
    assert.equal(messages.length, 1);
    const second = notifier(held);
    await second.settled();
    await clock.advance(14 * minute);
    await second.settled();
    assert.deepEqual(titles(), [], 'the other one may be about to tell it');
    await clock.advance(minute);
    await second.close();
    assert.deepEqual(titles(), ['During quiet hours: error']);
    const third = notifier(held);
    await clock.advance(60 * minute);
    await third.close();
    assert.equal(shown.length, 1, 'once');
  });

  it('waits for the end of the next quiet hours where those have begun', async () => {
    const first = notifier(held);
    first.notify(about('error'));
    await first.close();
    await clock.advance(24 * 60 * minute);
    const second = notifier(held);
    await second.settled();
    await clock.advance(59 * minute);
    await second.settled();
    assert.deepEqual(titles(), []);
    await clock.advance(minute);
    await second.settled();
    assert.deepEqual(titles(), ['During quiet hours: error']);
  });

  it('leaves to a window what is for a window', async () => {
    const first = notifier(held);
    first.notify(about('error'));
    await first.close();
    await clock.advance(3 * 60 * minute);
    const terminal = notifier(held, false);
    await terminal.settled();
    await clock.advance(minute);
    await terminal.close();
    const second = notifier(held);
    await second.settled();
    await clock.advance(0);
    await second.close();
    assert.deepEqual(titles(), ['During quiet hours: error']);
  });

  it('tries again where the network is not there yet when they end', async () => {
    const site = await notifySite();
    const one = notifier({ ...held, channels: [{ type: 'webhook', url: site.url }] });
    isOnline = false;
    one.notify(about('error', { title: 'Stands still', atMs: noon }));
    await one.settled();
    await clock.advance(60 * minute);
    await until('it gave up', async () => {
      await clock.advance(1_000);
      return shown.length > 0;
    });
    assert.deepEqual(titles(), [
      `Notifications by webhook ${new URL(site.url).host} do not arrive`,
    ]);
    await one.settled();
    isOnline = true;
    await clock.advance(11 * minute);
    await site.taken(1);
    await one.close();
    await site.close();
    assert.equal(site.calls.length, 1);
    assert.match(site.calls[0]?.body ?? '', /During quiet hours: Stands still/);
  });

  it('keeps in memory what cannot be written', async () => {
    writeFileSync(path.join(folder(), 'held'), 'a file, where the folder should be');
    const one = notifier(held);
    one.notify(about('error'));
    await one.settled();
    await clock.advance(60 * minute);
    await one.settled();
    assert.equal(titles().at(-1), 'During quiet hours: error');
  });

  it('shows a failure once, and fails nobody', async () => {
    const one = notifier({ channels: [{ type: 'desktop' }] });
    // There is no program in that PATH.
    one.notify(about('error'));
    one.notify(about('error'));
    await one.settled();
    assert.deepEqual(titles(), ['Notifications by desktop do not arrive']);
    assert.equal(warnings.length, 1);
  });

  it('says nothing of a window that is not there', async () => {
    const one = notifier({}, false);
    one.notify(about('error'));
    await one.settled();
    assert.deepEqual(warnings, []);
  });

  const ofProject = {
    channels: [{ type: 'desktop' as const }],
    quietHours: held.quietHours,
  };

  it('uses no channel of a project that the user did not allow', async () => {
    const one = notifier({ channels: [] });
    const project = { notifications: { channels: [{ type: 'desktop' as const }] } };
    one.notify(about('error'), project);
    assert.deepEqual(await one.try(about('error'), project), []);
    await one.settled();
    assert.deepEqual(warnings, []);
    const [result] = await one.try(about('error'), { ...project, allowance: 'yes' });
    assert.match(result?.problem ?? '', /notify-send is not installed|osascript/);
  });

  const holdForProject = async (): Promise<void> => {
    const first = notifier({ channels: [] });
    first.notify(about('error'), { notifications: ofProject, allowance: 'yes' });
    await first.close();
    assert.equal(readdirSync(path.join(folder(), 'held')).length, 1);
  };

  const release = async (): Promise<void> => {
    const second = notifier({ channels: [] });
    await second.settled();
    await clock.advance(60 * minute);
    await second.close();
  };

  it('sends what it held for a project only if it is still allowed', async () => {
    await holdForProject();
    allowed.clear();
    await release();
    assert.deepEqual(warnings, [], 'nothing was tried');
    assert.deepEqual(readdirSync(path.join(folder(), 'held')), []);
  });

  it('sends what it held for a project', async () => {
    await holdForProject();
    await release();
    assert.match(warnings[0] ?? '', /by desktop do not arrive/);
  });

  it('connects a channel of a project to public addresses only', async () => {
    isOnline = true;
    const site = await notifySite();
    const channels = [{ type: 'webhook' as const, url: site.url }];
    const [result] = await notifier({ channels: [] }).try(about('error'), {
      notifications: { channels },
      allowance: 'yes',
    });
    await site.close();
    assert.match(result?.problem ?? '', /in a private network/);
    assert.deepEqual(site.calls, []);
  });

  it('gives a channel of a project no secret', async () => {
    const one = notifier({ channels: [] });
    for (const [name, url] of Object.entries({
      PATH: 'https://x.test/${env:PATH}',
      hook: '${secret:hook}',
    })) {
      const channels = [{ type: 'webhook' as const, url }];
      const [result] = await one.try(about('error'), {
        notifications: { channels },
        allowance: 'yes',
      });
      assert.match(
        result?.problem ?? '',
        new RegExp(
          `^\\$\\{\\w+:${name}\\} in helios\\.json is a reference to your secrets, which a project`,
        ),
      );
    }
  });
});
