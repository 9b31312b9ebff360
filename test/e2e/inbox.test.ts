import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { WireAnswer } from '../fakes/wire.ts';
import { openWindow, type TestWindow } from './window.ts';
import type { Workbench } from './workbench.ts';

const question = 'Two GPUs are free. May I use both of them?';
const call = (name: string, input: Record<string, unknown>): WireAnswer => ({
  text: '',
  toolCalls: [{ name, input }],
});
const sleep = call('sleep', {
  reason: 'waiting for the data',
  wake_conditions: [{ type: 'timer', wake_after_seconds: 3_600 }],
});
const answers: readonly WireAnswer[] = [
  call('ask_user', { question, options: ['yes', 'no'], default: 'no', deadline_minutes: 90 }),
  sleep,
  sleep,
];

/** Questions and stickies in one window: each step where the last one ended. */
describe('the inbox in the hands of a user', () => {
  let workbench: Workbench;
  let opened: TestWindow | undefined;
  const asked: string[] = [];

  before(async () => {
    opened = await openWindow(
      ({ body }) => {
        asked.push(JSON.stringify(body));
        return answers[asked.length - 1] ?? sleep;
      },
      {
        settings: { 'helios.permissions.mode': 'allow' },
      },
    );
    ({ workbench } = opened);
    await workbench.openContainer('Helios');
  });

  after(() => opened?.close());

  const rowMatching = (label: RegExp, description = /(?:)/): Promise<unknown> =>
    workbench.eventually(
      () => workbench.treeRows('Inbox'),
      (rows) => rows.some((row) => label.test(row.label) && description.test(row.description)),
    );

  it('shows a question with its default, while the session goes on', async () => {
    await workbench.pictureTheme('dark');
    await workbench.sendChat('@helios bring loss < 0.1');
    await rowMatching(/Two GPUs are free/, /default in 1 h( 2\d min)?: no/);
    await workbench.chatMatching(/Question q1 · Two GPUs are free\. .*No answer by .* means: no/s);
    await workbench.picture('inbox-question-dark');
  });

  it('takes an answer by a click, and wakes the session with it', async () => {
    await workbench.clickRow('Inbox', 'Two GPUs', 'Two GPUs are free');
    await workbench.picture('inbox-answer');
    await workbench.pick('yes');
    await rowMatching(/^Answered$/);
    await workbench.eventually(
      () => Promise.resolve(asked.at(-1) ?? ''),
      (body) => body.includes('The user answered question q1'),
    );
  });

  it('adds a sticky that the model is shown, and removes it', async () => {
    await workbench.command('Helios: Add Sticky Note');
    await workbench.answerInput('never touch the test split');
    await rowMatching(/never touch the test split/);
    await workbench.pictureTheme('light');
    await workbench.picture('inbox-light');
    // A request of the chat stays open a while when the session sleeps, and VS Code holds back what
    // is typed meanwhile.
    await workbench.command('Helios: Pause');
    await workbench.statusMatching(/Helios: paused/);
    await workbench.command('Helios: Resume');
    await workbench.eventually(
      () => Promise.resolve(asked.at(-1) ?? ''),
      (body) => body.includes('never touch the test split'),
    );
    await workbench.sendChat('@helios /sticky rm 1');
    await workbench.chatMatching(/Removed sticky note 1/);
    await workbench.eventually(
      () => workbench.treeRows('Inbox'),
      (rows) => rows.every(({ label }) => label !== 'never touch the test split'),
    );
  });

  it('tells the same in the chat, and says what cannot be answered', async () => {
    await workbench.sendChat('@helios /inbox');
    await workbench.chatMatching(/q1: Two GPUs are free.*→ yes/s);
    await workbench.sendChat('@helios /answer q1 no');
    await workbench.chatMatching(/Question q1 is already answered: yes/);
    await workbench.picture('inbox-chat-light');
    assert.deepEqual(workbench.consoleErrors(), []);
  });

  it('shows what the session does with a target that was corrected', async () => {
    await workbench.sendChat('@helios /target loss < 0.2');
    await workbench.chatMatching(
      /The target is now loss < 0\.2\. [\s\S]*Sleeping until [\s\S]*waiting for the data/,
    );
  });

  it('pauses, and goes on when it is told to', async () => {
    await workbench.command('Helios: Pause');
    await workbench.statusMatching(/Helios: paused/);
    const before = asked.length;
    await workbench.command('Helios: Resume');
    await workbench.eventually(
      () => Promise.resolve(asked.length),
      (count) => count > before,
    );
  });
});
