/**
 * Addresses and names of the service behind a ChatGPT subscription. They are those of its own
 * public client, the Codex CLI.
 */

export const defaultAuthUrl = 'https://auth.openai.com';
export const defaultBackendUrl = 'https://chatgpt.com/backend-api/codex';

/** A public client: it has no secret, PKCE takes its place. */
export const clientId = 'app_EMoamEEZ73f0CkXaXp7hrann';

/** How this program names itself, when it signs in and with every call. */
export const originator = 'helios';

/**
 * The service sends a browser back to no other port of this computer; the second is for when the
 * first is taken.
 */
export const callbackPorts: readonly number[] = [1455, 1457];
export const callbackPath = '/auth/callback';

export const scope =
  'openid profile email offline_access api.connectors.read api.connectors.invoke';

/** What a user does where there is no sign-in, or one that is no longer taken. */
export const signInHint =
  'Sign in with: helios auth login, or with “Helios: Sign In to ChatGPT” in VS Code.';
