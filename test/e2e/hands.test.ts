import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { isSessionId } from '../../src/base/ids.ts';
import { homeAt } from '../../src/storage/home.ts';
import { researcher } from '../fakes/researcher.ts';
import type { WireAnswer, WireServer } from '../fakes/wire.ts';
import type { VsCode } from '../setup/codeServer.ts';
import { openWindow, type TestWindow } from './window.ts';
import type { Workbench } from './workbench.ts';

const research = researcher({ rates: [0.05], runSeconds: 1, steps: 30 });
/** It begins, and never ends. */
const halfAnswer = (text: string): WireAnswer => ({ text, breaks: { at: 'end', how: 'hang' } });
const giveUp: WireAnswer = {
  text: 'There is nothing to train on.',
  toolCalls: [{ name: 'finish', input: { outcome: 'blocked', summary: 'There is no data.' } }],
};

/**
 * What a user does with a session in their hands: one window, one session, each step where the last
 * one ended.
 */
describe('a session in the hands of a user', () => {
  let server: WireServer;
  let vscode: VsCode;
  let workbench: Workbench;
  let opened: TestWindow | undefined;

  before(async () => {
    opened = await openWindow(() => halfAnswer('Let me look.'), {
      settings: { 'helios.permissions.mode': 'allow' },
      hasKey: false,
    });
    ({ server, vscode, workbench } = opened);
    await workbench.openContainer('Helios');
  });

  after(() => opened?.close());

  const sessions = async (): Promise<number> =>
    (await readdir(homeAt(vscode.heliosHome).sessionsFolder)).filter((name) => isSessionId(name))
      .length;

  const journal = async (): Promise<string> => {
    const folder = homeAt(vscode.heliosHome).sessionsFolder;
    const [id = ''] = (await readdir(folder)).filter((name) => isSessionId(name));
    return readFile(join(folder, id, 'journal.jsonl'), 'utf8');
  };

  it('starts from the palette with a key that was stored and a budget that can be read', async () => {
    await workbench.command('Helios: Set API Key');
    await workbench.pick('Anthropic');
    await workbench.inputTitled('Key for Anthropic');
    await workbench.answerInput('stored-key');
    // The box stays while the key is checked.
    await workbench.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
    await workbench.command('Helios: Start Goal');
    await workbench.inputTitled('Start Goal (1/2)');
    await workbench.answerInput('bring loss < 1');
    await workbench.inputTitled('Start Goal (2/2)');
    await workbench.answerInput('plenty');
    await workbench.inputTitled('“plenty” is not a limit');
    await workbench.answerInput('$3, 40 turns');
    await server.received(1);
    assert.match(JSON.stringify(server.requests[0]?.headers), /stored-key/);
    assert.match(JSON.stringify(server.requests[0]?.body.messages), /Limits: \$3, 40 turns/);
  });

  it('is paused in the middle of a model call, by command and by the stop button of the chat', async () => {
    await workbench.command('Helios: Pause');
    await workbench.statusMatching(/Helios: paused/);
    // A whole line: its last words are held back until it is clear that they are no secret.
    server.reply(() => halfAnswer('Let me think.\n'));
    await workbench.sendChat('@helios go on');
    await workbench.chatMatching(/Let me think/);
    await workbench.stopChat();
    await server.requests[1]?.closed;
    await workbench.statusMatching(/Helios: paused/);
    assert.equal(server.requests.length, 2);
  });

  it('gets a message while its model call goes on, and reads it before it ends', async () => {
    const answer = Promise.withResolvers<WireAnswer>();
    server.reply(() => answer.promise);
    await workbench.sendChat('@helios go on');
    await server.received(3);
    await workbench.sendChat('@helios the data is in train.csv');
    await workbench.eventually(journal, (text) => text.includes('the data is in train.csv'));
    server.reply(research);
    answer.resolve(giveUp);
    await server.received(4);
    assert.match(JSON.stringify(server.requests[3]?.body.messages), /the data is in train\.csv/);
    await workbench.chatMatching(/Goal met/);
    assert.equal(await sessions(), 1);
  });

  it('is drawn again after a reload, though it has ended', async () => {
    await workbench.command('Helios: Show Metrics');
    const drawn = await workbench.webview('canvas');
    await drawn.getByText('run 1').first().waitFor();
    await workbench.reloadByCommand();
    const again = await workbench.webview('canvas');
    await workbench.eventually(
      () => again.evaluate(inkedPixels),
      (count) => count > 100,
    );
    assert.deepEqual(workbench.consoleErrors(), []);
  });
});

/** Runs in the webview: how much of the first chart is not bare. */
function inkedPixels(): number {
  const canvas = document.querySelector('canvas');
  const pixels =
    canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
  return pixels.filter((value, index) => index % 4 === 3 && value > 0).length;
}
