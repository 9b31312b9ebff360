/** Sign-in to ChatGPT. */
export { openSignIn, SignInCancelled } from '../models/chatgpt/oauth.ts';
