/** The stored tokens of a sign-in to ChatGPT. */
export {
  accountLabel,
  parseSignedIn,
  signedInText,
  tokensName,
} from '../models/chatgpt/signedIn.ts';
