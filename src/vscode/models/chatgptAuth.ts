/**
 * The ChatGPT sign-in as an authentication provider of VS Code. The account appears in the Accounts
 * menu; its tokens are stored in the secret storage.
 */
import {
  authentication,
  EventEmitter,
  ProgressLocation,
  window,
  type AuthenticationProvider,
  type AuthenticationProviderAuthenticationSessionsChangeEvent,
  type AuthenticationSession,
} from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { accountLabel, parseSignedIn, signedInText, tokensName } from '../../compose/signedIn.ts';
import type { SignedIn } from '../../models/chatgpt/signedIn.ts';
import type { ApiKeys } from './apiKeys.ts';
import { run, type Handlers } from '../ui/commandRegistry.ts';
import { chatgptAccounts } from '../ui/contributions.ts';

export class ChatgptAuth implements AuthenticationProvider, Disposable {
  readonly #keys: ApiKeys;
  readonly #owned = new DisposableStore();
  readonly #changed = new EventEmitter<AuthenticationProviderAuthenticationSessionsChangeEvent>();
  readonly onDidChangeSessions = this.#changed.event;
  /** Cancels the sign-in that is waiting for the user. */
  #pendingSignIn: AbortController | undefined;
  #session: AuthenticationSession | undefined;

  constructor(keys: ApiKeys) {
    this.#keys = keys;
    this.#owned.add(this.#changed);
    const { id, label } = chatgptAccounts;
    this.#owned.add(
      authentication.registerAuthenticationProvider(id, label, this, {
        supportsMultipleAccounts: false,
      }),
    );
    // Detects when another window signs in or out.
    this.#owned.add(keys.onDidChange(() => void this.#detectChange()));
    void this.#detectChange();
  }

  async getSessions(scopes: readonly string[] = []): Promise<AuthenticationSession[]> {
    const tokens = parseSignedIn((await this.#keys.get(tokensName)) ?? '');
    return tokens === undefined ? [] : [sessionOf(tokens, scopes)];
  }

  /** Signs in. Rejects with `UserFacing` on failure, or with `SignInCancelled`. */
  async createSession(scopes: readonly string[]): Promise<AuthenticationSession> {
    return sessionOf(await this.signIn(), scopes);
  }

  async removeSession(): Promise<void> {
    await this.#keys.set(tokensName, '');
    await this.#detectChange();
  }

  /**
   * Signs in. Cancels a sign-in that is still waiting for the user, because the user may have
   * closed its browser tab. Rejects like `createSession`.
   */
  async signIn(): Promise<SignedIn> {
    this.#pendingSignIn?.abort();
    const abort = new AbortController();
    this.#pendingSignIn = abort;
    const options = {
      location: ProgressLocation.Notification,
      title: 'Sign in to ChatGPT',
      cancellable: true,
    };
    const tokens = await window.withProgress(options, async (progress, token) => {
      progress.report({ message: 'waiting for the browser …' });
      const { waitForUser } = await import('./chatgptSignIn.ts');
      return waitForUser(abort, token);
    });
    await this.#keys.set(tokensName, signedInText(tokens));
    await this.#detectChange();
    return tokens;
  }

  dispose(): void {
    this.#pendingSignIn?.abort();
    this.#owned.dispose();
  }

  async #detectChange(): Promise<void> {
    const [now] = await this.getSessions();
    const before = this.#session;
    if (before?.accessToken === now?.accessToken) return;
    this.#session = now;
    const isSame = before !== undefined && now !== undefined && before.id === now.id;
    this.#changed.fire({
      added: now === undefined || isSame ? [] : [now],
      removed: before === undefined || isSame ? [] : [before],
      changed: isSame ? [now] : [],
    });
  }
}

const sessionOf = (tokens: SignedIn, scopes: readonly string[]): AuthenticationSession => ({
  id: tokens.accountId,
  accessToken: tokens.accessToken,
  account: { id: tokens.accountId, label: accountLabel(tokens) },
  scopes: [...scopes],
});

export const signInCommands = (auth: () => ChatgptAuth | undefined) =>
  ({
    'helios.signIn': () => signIn(auth()),
    'helios.signOut': () => signOut(auth()),
  }) satisfies Handlers;

async function signIn(auth: ChatgptAuth | undefined): Promise<void> {
  try {
    const tokens = await auth?.signIn();
    if (tokens === undefined) return;
    const text = `Signed in to ChatGPT as ${accountLabel(tokens)}.`;
    void window
      .showInformationMessage(text, 'Select Model')
      .then((choice) => choice && run('helios.selectModel'));
  } catch (error) {
    const { SignInCancelled } = await import('../../compose/signIn.ts');
    if (!(error instanceof SignInCancelled)) throw error;
  }
}

async function signOut(auth: ChatgptAuth | undefined): Promise<void> {
  const [session] = (await auth?.getSessions()) ?? [];
  await auth?.removeSession();
  const text =
    session === undefined
      ? 'You are not signed in to ChatGPT.'
      : `Signed out of ChatGPT (${session.account.label}).`;
  window.setStatusBarMessage(`Helios: ${text}`, 6_000);
}
