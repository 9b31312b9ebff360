import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { OauthServer } from '../fakes/oauthServer.ts';
import type { WireServer } from '../fakes/wire.ts';
import { startWireChatgpt } from '../fakes/wireChatgpt.ts';
import { installedPackage, startVsCode, type VsCode } from '../setup/codeServer.ts';
import { Workbench } from './workbench.ts';

/** A user with a ChatGPT subscription and no key: the palette, their browser, and an answer. */
describe('a ChatGPT subscription', () => {
  let folder: string;
  let auth: OauthServer;
  let server: WireServer;
  let vscode: VsCode;
  let workbench: Workbench;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'workspace-'));
    auth = await OauthServer.start();
    server = await startWireChatgpt(() => ({ text: 'The plan answers.' }), {
      isGood: (token) => auth.isGood(token),
    });
    vscode = await startVsCode({
      folder,
      otherExtensions: [await installedPackage()],
      settings: {
        'helios.permissions.mode': 'allow',
        'helios.model.provider': 'chatgpt',
      },
      env: { CHATGPT_AUTH_URL: auth.url, CHATGPT_BASE_URL: server.url },
    });
    workbench = await Workbench.open(vscode);
  });

  after(async () => {
    await workbench?.close();
    await vscode?.dispose();
    await server?.close();
    await auth?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('is asked for where it is needed', async () => {
    await workbench.sendChat('@helios bring the loss below 0.1');
    await workbench.chatMatching(/You are not signed in to ChatGPT/);
    assert.equal(server.requests.length, 0);
  });

  it('is signed in to from the palette, by the address that the browser ends on', async () => {
    await workbench.page.evaluate(keepOpened);
    await workbench.command('Helios: Sign In to ChatGPT');
    const opened = await workbench.eventually(
      () => workbench.page.evaluate(() => document.body.dataset['opened'] ?? ''),
      (address) => address.includes('/oauth/authorize'),
    );
    await workbench.inputTitled('paste its address here');
    // A window in a browser reaches other ports of its server through a path of its own.
    await workbench.answerInput(
      await auth.redirected(`${auth.url}/oauth/authorize${new URL(opened).search}`),
    );
    await workbench.notificationMatching(/Signed in to ChatGPT as ada@lab\.org \(plus\)\./);
    await workbench.picture('signed-in');
  });

  it('answers in the chat', async () => {
    await workbench.sendChat('@helios bring the loss below 0.1');
    await workbench.chatMatching(/The plan answers\./);
    assert.equal(server.requests[0]?.headers['chatgpt-account-id'], auth.accountId);
    assert.deepEqual(workbench.consoleErrors(), []);
  });

  it('renews its tokens while the session goes on', async () => {
    auth.expire();
    const before = server.requests.length;
    await workbench.sendChat('@helios and now?');
    await server.received(before + 2);
    await workbench.eventually(
      () => Promise.resolve(auth.tokenRequests.map(({ grant }) => grant)),
      (grants) => grants.includes('refresh_token'),
    );
  });
});

/** Runs in the page: the address of a new tab is kept, and no tab is opened. */
function keepOpened(): void {
  const keep = (address: unknown): void => void (document.body.dataset['opened'] = String(address));
  const tab = Object.defineProperty({}, 'href', { set: keep });
  window.open = (address) => {
    if (address !== undefined) keep(address);
    return { location: tab, opener: null } as unknown as Window;
  };
}
