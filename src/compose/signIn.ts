/** Sign-in to ChatGPT, and the stored tokens. */
export { openSignIn, SignInCancelled } from '../models/chatgpt/oauth.ts';
export { accountLabel, parseSignedIn, signedInText } from '../models/chatgpt/signedIn.ts';
export { tokensName } from '../models/chatgpt/tokens.ts';
