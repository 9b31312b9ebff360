import assert from 'node:assert/strict';
import path from 'node:path';
import { beforeEach, describe, it } from 'mocha';
import { writeFileSync } from 'node:fs';
import { folderChoicesAt } from '../../../src/compose/folderChoices.ts';
import type { FolderChoice, FolderChoices } from '../../../src/project/folderChoices.ts';
import { askOnce } from '../../../src/vscode/sessions/firstGoal.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { scratchFolder } from '../../fakes/scratch.ts';

describe('the question at the first goal in a folder', () => {
  const folder = scratchFolder();
  let choices: FolderChoices;
  let clock: ManualClock;
  let asked: number;
  beforeEach(() => {
    choices = folderChoicesAt(folder());
    clock = new ManualClock();
    asked = 0;
  });
  const start = (ask: (signal: AbortSignal) => Promise<FolderChoice | 'later'>): Promise<void> =>
    askOnce(folder(), {
      choices,
      clock,
      limitMs: 60_000,
      ask(signal) {
        asked += 1;
        return ask(signal);
      },
    });
  const answer = (choice: FolderChoice | 'later') => () => Promise.resolve(choice);

  it('is asked once, and its answer is kept', async () => {
    await start(answer({ mode: 'mandate', keepRunning: true }));
    await start(answer({ mode: 'allow' }));
    assert.equal(asked, 1);
    assert.deepEqual(choices.read(folder()).choice, { mode: 'mandate', keepRunning: true });
  });

  it('leaves the settings in force when it is closed, and is not asked again', async () => {
    await start(answer({}));
    await start(answer({ mode: 'allow' }));
    assert.deepEqual([asked, choices.read(folder()).choice], [1, {}]);
  });

  it('is asked again at the next goal when the user wants to prepare something first', async () => {
    await start(answer('later'));
    await start(answer({ mode: 'ask' }));
    assert.deepEqual([asked, choices.read(folder()).choice], [2, { mode: 'ask' }]);
  });

  it('holds the goal up for a time only', async () => {
    const started = start(
      (signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve({}));
        }),
    );
    await clock.advance(60_000);
    await started;
    assert.deepEqual(choices.read(folder()).choice, {});
  });

  it('is not asked where its answer could not be kept', async () => {
    writeFileSync(path.join(folder(), 'folders.json'), 'no JSON');
    await start(answer({ mode: 'allow' }));
    assert.equal(asked, 0);
  });
});
