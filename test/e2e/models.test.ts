import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { JournalEvent } from '../../src/agent/journal/events.ts';
import { isSessionId } from '../../src/base/ids.ts';
import { homeAt } from '../../src/storage/home.ts';
import type { WireServer } from '../fakes/wire.ts';
import type { VsCode } from '../setup/codeServer.ts';
import { repositoryRoot } from '../setup/paths.ts';
import { openWindow, type TestWindow } from './window.ts';
import type { Workbench } from './workbench.ts';

const quit = {
  name: 'finish',
  input: { outcome: 'blocked', summary: 'There is nothing to train on.' },
};
const rest = {
  name: 'sleep',
  input: { reason: 'nothing runs', wake_conditions: [{ type: 'timer', minutes: 60 }] },
};

/**
 * One window, signed out, with one key of the environment and another extension that brings a
 * model.
 */
describe('models in the hands of a user', () => {
  let server: WireServer;
  let vscode: VsCode;
  let workbench: Workbench;
  let opened: TestWindow | undefined;

  before(async () => {
    opened = await openWindow(
      ({ index }) => ({
        text: `Answer ${index + 1}.`,
        toolCalls: [index === 2 ? rest : quit],
      }),
      {
        otherExtensions: [join(repositoryRoot, 'test/fixtures/labModels')],
        settings: { 'helios.permissions.mode': 'allow' },
        viewport: { width: 1500, height: 950 },
      },
    );
    ({ server, vscode, workbench } = opened);
    await workbench.openContainer('Helios');
  });

  after(() => opened?.close());

  /** What was recorded, of all sessions. */
  async function events(): Promise<readonly JournalEvent[]> {
    const home = homeAt(vscode.heliosHome);
    const ids = (await readdir(home.sessionsFolder)).filter(isSessionId);
    const texts = await Promise.all(ids.map((id) => readFile(home.journalFile(id), 'utf8')));
    return texts
      .flatMap((text) => text.split('\n'))
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as JournalEvent);
  }
  const started = async (): Promise<readonly string[]> =>
    (await events()).flatMap((event) =>
      event.type === 'session.started' ? [`${event.provider}/${event.model}`] : [],
    );

  it('work with a model of another extension that is picked in the chat, and say its limits', async () => {
    await workbench.pickChatModel('Lab Researcher');
    await workbench.sendChat('@helios bring loss < 1');
    const text = await workbench.chatMatching(/There is nothing to train on/);
    assert.match(
      text,
      /Uses Lab Researcher from VS Code: the session works only while this window is open/,
    );
    assert.deepEqual(await started(), ['vscode/lab/researcher']);
    const notes = (await events()).filter(
      (event) => event.type === 'tool.finished' && event.name === 'memory_write',
    );
    assert.equal(notes.length, 1);
    assert.equal(server.requests.length, 0);
    await workbench.picture('models-other-extension');
  });

  it('go on, in a new goal, with one of ours that is picked there', async () => {
    await workbench.pickChatModel('Claude Haiku 4.5');
    await workbench.sendChat('@helios /new bring loss < 2');
    await workbench.chatMatching(/Answer 1\./);
    assert.equal(server.requests[0]?.body.model, 'claude-haiku-4-5');
    assert.equal((await started()).at(-1), 'claude/claude-haiku-4-5');
  });

  it('are chosen for the next goals by the command', async () => {
    await workbench.command('Helios: Select Model');
    await workbench.pick('Claude Sonnet 5.5');
    await workbench.pickChatModel('As Configured: Claude Sonnet 5.5');
    await workbench.sendChat('@helios /new bring loss < 3');
    await workbench.chatMatching(/Answer 2\./);
    assert.equal(server.requests[1]?.body.model, 'claude-sonnet-5-5');
  });

  it('are switched in the middle of a session by a word, and keep what was said', async () => {
    await workbench.sendChat('@helios /new bring loss < 4');
    await workbench.chatMatching(/Answer 3\.[^]*The session wakes automatically/);
    await workbench.sendChat('@helios /switch claude-haiku-4-5');
    await workbench.chatMatching(/Switched from the next call on: claude\/claude-haiku-4-5/);
    await workbench.sendChat('@helios look again');
    await workbench.chatMatching(/Answer 4\./);
    const [, , , sent] = server.requests;
    assert.equal(sent?.body.model, 'claude-haiku-4-5');
    for (const said of ['bring loss < 4', 'Answer 3.', 'look again'])
      assert.ok(JSON.stringify(sent?.body).includes(said), said);
    await workbench.sendChat('@helios /reasoning high');
    await workbench.chatMatching(/Reasoning effort from the next call on: high/);
    await workbench.sendChat('@helios /models haiku');
    await workbench.chatMatching(/claude\/claude-haiku-4-5 200k context/);
    await workbench.picture('models-chat');
    assert.deepEqual(workbench.consoleErrors(), []);
  });
});
