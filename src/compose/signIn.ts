/** Signing in with ChatGPT, and what is kept of it. */
export { openSignIn, SignInCancelled } from '../models/chatgpt/oauth.ts';
export { accountLabel, parseSignedIn, signedInText } from '../models/chatgpt/signedIn.ts';
export { tokensName } from '../models/chatgpt/tokens.ts';
