import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { routesOf } from '../../../src/notify/routes.ts';
import {
  defaultEvents,
  type NotificationSettings,
  type NotifyEvent,
} from '../../../src/notify/settings.ts';

describe('routesOf', () => {
  const window = { type: 'vscode' } as const;
  const desktop = { type: 'desktop' } as const;

  it('tells a channel once that user and project name', () => {
    const routes = routesOf(
      { channels: [desktop] },
      { notifications: { channels: [desktop, window] }, allowance: 'yes' },
    );
    assert.deepEqual(
      routes.map(({ channel, isProject }) => [channel.type, isProject]),
      [
        ['desktop', false],
        ['vscode', true],
      ],
    );
  });

  it('knows the quiet hours of a project without channels of its own', () => {
    const quietHours = { from: '22:00', to: '07:00' };
    const [own] = routesOf({}, { notifications: { quietHours } });
    assert.deepEqual(own?.quietHours, quietHours);
  });

  const cases: readonly (readonly [
    string,
    NotificationSettings,
    Parameters<typeof routesOf>[1],
    readonly (readonly NotifyEvent[])[],
  ])[] = [
    ['nothing chosen', {}, {}, [defaultEvents]],
    ['an empty choice', { events: [] }, {}, [defaultEvents]],
    [
      'a choice of the user',
      { events: ['alarm'] },
      { notifications: { events: ['error'] } },
      [['alarm']],
    ],
    ['a choice of the project alone', {}, { notifications: { events: ['error'] } }, [['error']]],
    [
      'channels of the project with their own choice',
      {},
      {
        notifications: { channels: [desktop], events: ['experiment_complete', 'error'] },
        allowance: 'yes',
      },
      [defaultEvents, ['experiment_complete', 'error']],
    ],
  ];
  for (const [name, person, project, expected] of cases)
    it(`knows the events of ${name}`, () => {
      assert.deepEqual(
        routesOf(person, project).map(({ events }) => events),
        expected,
      );
    });
});
