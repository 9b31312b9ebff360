/**
 * Addresses and ids for the service behind a ChatGPT subscription, as used by the service's own
 * public client, the Codex CLI.
 */

export const defaultAuthUrl = 'https://auth.openai.com';
export const defaultBackendUrl = 'https://chatgpt.com/backend-api/codex';

/**
 * Id of the Codex CLI at the sign-in service. This client has no secret: PKCE protects the sign-in
 * instead.
 */
export const clientId = 'app_EMoamEEZ73f0CkXaXp7hrann';

/** Name of this program in the sign-in and in every call. */
export const originator = 'helios';

/**
 * The only ports that the service redirects browsers to. The second is used if another program
 * occupies the first.
 */
export const callbackPorts: readonly number[] = [1455, 1457];
export const callbackPath = '/auth/callback';

export const scope =
  'openid profile email offline_access api.connectors.read api.connectors.invoke';

/** Hint for users who are not signed in, or whose sign-in has ended. */
export const signInHint =
  'Sign in with: helios auth login, or with “Helios: Sign In to ChatGPT” in VS Code.';
