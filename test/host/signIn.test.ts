import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { authentication, commands, ConfigurationTarget, extensions, lm, workspace } from 'vscode';
import { chatgptAccounts } from '../../src/vscode/contributions.ts';
import { OauthServer } from '../fakes/oauthServer.ts';

/** The window's own browser opens the page of the service, which sends it back to the extension host. */
describe('the sign-in to ChatGPT', () => {
  let auth: OauthServer;
  const useServer = (url: string | undefined): Thenable<void> =>
    workspace.getConfiguration('helios').update('providers.chatgptAuthUrl', url, ConfigurationTarget.Global);
  const accounts = async (): Promise<string[]> =>
    (await authentication.getAccounts(chatgptAccounts.id)).map(({ label }) => label);
  const hasModels = async (): Promise<boolean> =>
    (await lm.selectChatModels({ vendor: 'helios' })).some(({ id }) => id.startsWith('chatgpt/'));

  before(async () => {
    await extensions.getExtension('helios.helios-research')?.activate();
    auth = await OauthServer.start();
    await useServer(auth.url);
  });
  after(async () => {
    await commands.executeCommand('helios.signOut');
    await useServer(undefined);
    await auth.close();
  });

  it('makes an account of VS Code, and offers the models of the plan', async () => {
    assert.deepEqual(await accounts(), []);
    assert.equal(await hasModels(), false);
    const changed = new Promise<string>((resolve) => {
      const listener = authentication.onDidChangeSessions(({ provider }) => {
        listener.dispose();
        resolve(provider.id);
      });
    });
    await commands.executeCommand('helios.signIn');
    assert.equal(await changed, chatgptAccounts.id);
    assert.deepEqual(await accounts(), ['ada@lab.org (plus)']);
    assert.equal(await hasModels(), true);
  });

  it('ends with the sign-out', async () => {
    await commands.executeCommand('helios.signOut');
    assert.deepEqual(await accounts(), []);
    assert.equal(await hasModels(), false);
  });
});
