import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { payloadOf, summed, type Message } from '../../../src/notify/notification.ts';
import type { NotifyEvent } from '../../../src/notify/settings.ts';
import { message } from './message.ts';

const of = (event: NotifyEvent, title: string, more: Partial<Message> = {}): Message =>
  message({ event, events: [event], title, body: '', ...more });
const runs = (count: number, event: NotifyEvent = 'task_complete'): Message[] =>
  Array.from({ length: count }, (_, index) => of(event, `Run ${index + 1}`));

describe('several notifications in one', () => {
  it('are one by its own title where there is only one', () => {
    const [one] = runs(1);
    assert.ok(one);
    assert.deepEqual(summed([one], 'Helios'), { ...one, title: 'Helios: Run 1' });
    assert.throws(() => summed([], 'Helios'), /nothing to sum up/);
  });

  const bodies: readonly (readonly [what: string, messages: readonly Message[], body: string])[] = [
    ['two', runs(2), 'Run 1\nRun 2'],
    ['five', runs(5), 'Run 1\nRun 2\nRun 3\nRun 4\nRun 5'],
    ['one more', runs(6), 'Run 2\nRun 3\nRun 4\nRun 5\nRun 6\nand 1 more run ended'],
    ['some more', runs(7), 'Run 3\nRun 4\nRun 5\nRun 6\nRun 7\nand 2 more runs ended'],
    [
      'one more of another kind',
      [of('goal_met', 'Met'), ...runs(5)],
      'Run 1\nRun 2\nRun 3\nRun 4\nRun 5\nand 1 more goal met',
    ],
    [
      'more of several kinds',
      [...runs(2), of('alarm', 'NaN'), ...runs(6)],
      'Run 2\nRun 3\nRun 4\nRun 5\nRun 6\nand 4 more: 3 × runs ended, 1 × alarms',
    ],
    [
      'the first line of each',
      [of('error', 'Error', { body: 'disk\nfull' }), of('error', 'Again')],
      'Error: disk\nAgain',
    ],
  ];
  for (const [what, messages, body] of bodies)
    it(`name the last five and count the others: ${what}`, () => {
      assert.equal(summed(messages, 'Helios').body, body);
    });

  it('are urgent where one of them is, and of the last one else', () => {
    const [a, b] = runs(2);
    assert.ok(a && b);
    assert.equal(summed([a, of('question', 'Which?'), b], 'Helios').event, 'question');
    assert.equal(summed([of('budget', 'Half'), a], 'Helios').event, 'task_complete');
  });

  it('say nothing of one run, and the goal where it is that of all', () => {
    const all = summed(runs(3), 'Helios');
    assert.deepEqual(
      [all.machineId, all.pid, all.run, all.metrics],
      [undefined, undefined, undefined, undefined],
    );
    assert.deepEqual([all.title, all.goal], ['Helios: 3 notifications', 'loss < 1']);
    assert.equal(summed([...runs(2), of('error', 'x', { goal: 'other' })], 'Helios').goal, '');
  });
});

describe('a notification for machines', () => {
  it('has its values as JSON can say them, and none where there are none', () => {
    const { metrics } = payloadOf(message({ metrics: { a: 1, b: -Infinity, c: NaN } }));
    assert.deepEqual(metrics, { a: 1, b: '-Infinity', c: 'NaN' });
    const { metrics: _, ...without } = message();
    assert.ok(!('metrics' in payloadOf(without)));
  });
});
