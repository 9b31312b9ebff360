/** The part of the ChatGPT sign-in that waits for the user. Loaded by the first sign-in. */
import { env, UIKind, Uri, window, type CancellationToken } from 'vscode';
import { systemClock } from '../../base/clock.ts';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { adviceOf } from '../../base/errors.ts';
import { createFetch } from '../../compose/network.ts';
import { openSignIn } from '../../compose/signIn.ts';
import type { OpenSignIn } from '../../models/chatgpt/oauth.ts';
import type { SignedIn } from '../../models/chatgpt/signedIn.ts';
import { engineSettings } from '../ui/settings.ts';

/** Opens the browser, and resolves when the user has signed in. Rejects with `SignInCancelled`. */
export async function waitForUser(
  abort: AbortController,
  token: CancellationToken,
): Promise<SignedIn> {
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
