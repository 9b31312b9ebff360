/**
 * The ChatGPT sign-in as an authentication provider of VS Code. The account appears in the Accounts
 * menu; its tokens are stored in the secret storage.
 */
import {
  authentication,
  env,
  EventEmitter,
  ProgressLocation,
  UIKind,
  Uri,
  window,
  type AuthenticationProvider,
  type AuthenticationProviderAuthenticationSessionsChangeEvent,
  type AuthenticationSession,
  type CancellationToken,
} from 'vscode';
import { systemClock } from '../../base/clock.ts';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { adviceOf } from '../../base/errors.ts';
import { createFetch } from '../../compose/network.ts';
import type { OpenSignIn } from '../../models/chatgpt/oauth.ts';
import {
  openSignIn,
  SignInCancelled,
  accountLabel,
  parseSignedIn,
  signedInText,
  tokensName,
} from '../../compose/signIn.ts';
import type { SignedIn } from '../../models/chatgpt/signedIn.ts';
import type { ApiKeys } from './apiKeys.ts';
import { run, type Handlers } from '../ui/commandRegistry.ts';
import { chatgptAccounts } from '../ui/contributions.ts';
import { engineSettings } from '../ui/settings.ts';

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

async function waitForUser(abort: AbortController, token: CancellationToken): Promise<SignedIn> {
  const { chatgptAuthUrl: authUrl } = engineSettings();
  const cancelled = token.onCancellationRequested(() => abort.abort());
  try {
    const network = { clock: systemClock, authUrl, fetch: createFetch(engineSettings) };
    const signIn = await openSignIn(network, abort.signal);
    const isReachable = await isRedirectReachable(signIn);
    await env.openExternal(Uri.parse(signIn.address, true));
    const box = isReachable ? undefined : askForAddress(signIn, abort);
    return await signIn.done.finally(() => box?.dispose());
  } finally {
    cancelled.dispose();
  }
}

/**
 * Whether the browser's redirect after the sign-in reaches this window. VS Code forwards the port
 * of a remote window to the user's computer, but may use another port number there. The redirect
 * uses the original number and then fails.
 */
async function isRedirectReachable({ port }: OpenSignIn): Promise<boolean> {
  if (env.remoteName === undefined && env.uiKind === UIKind.Desktop) return true;
  const outside = await env.asExternalUri(Uri.parse(`http://localhost:${port}`));
  return env.uiKind === UIKind.Desktop && outside.authority === `localhost:${port}`;
}

function askForAddress(signIn: OpenSignIn, abort: AbortController): Disposable {
  const box = window.createInputBox();
  box.title = 'Helios: Sign In to ChatGPT';
  box.prompt = 'If the last sign-in page does not load in the browser, paste its address here';
  box.placeholder = `http://localhost:${signIn.port}/auth/callback?code=…`;
  box.ignoreFocusOut = true;
  const owned = new DisposableStore();
  owned.add(box);
  owned.add(
    box.onDidAccept(() => {
      box.enabled = false;
      signIn.paste(box.value).catch((error: unknown) => {
        box.enabled = true;
        box.validationMessage = adviceOf(error);
      });
    }),
  );
  owned.add(box.onDidChangeValue(() => (box.validationMessage = undefined)));
  owned.add(box.onDidHide(() => abort.abort()));
  box.show();
  return owned;
}

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
