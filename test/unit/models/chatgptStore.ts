/** Where the tokens of a sign-in are kept, for tests: what several processes share. */
import type { Clock } from '../../../src/base/clock.ts';
import {
  parseSignedIn,
  signedInText,
  type SignedIn,
} from '../../../src/models/chatgpt/signedIn.ts';
import { tokensName } from '../../../src/models/chatgpt/signedIn.ts';
import type { TokenStore } from '../../../src/models/chatgpt/tokens.ts';

export class MemoryStore implements TokenStore {
  readonly values = new Map<string, string>();
  /** Every text that was written as tokens; `undefined` where they were forgotten. */
  readonly written: (string | undefined)[] = [];
  /** Thrown by the next writes, as a full disk does. */
  fault: Error | undefined;
  /** Awaited by the next write. */
  hold: Promise<void> | undefined;

  read(name: string): Promise<string | undefined> {
    return Promise.resolve(this.values.get(name));
  }

  async write(name: string, value: string | undefined): Promise<void> {
    if (this.fault !== undefined) throw this.fault;
    const { hold } = this;
    this.hold = undefined;
    await hold;
    if (name === tokensName) this.written.push(value);
    if (value === undefined) this.values.delete(name);
    else this.values.set(name, value);
  }

  /** Keeps what the token endpoint gave. */
  signIn(granted: Readonly<Record<string, unknown>>, clock: Clock): SignedIn {
    const tokens = {
      accessToken: String(granted['access_token']),
      refreshToken: String(granted['refresh_token']),
      expiresAtMs: clock.now() + Number(granted['expires_in']) * 1000,
      accountId: 'acc-1234',
    };
    this.values.set(tokensName, signedInText(tokens));
    return tokens;
  }

  tokens(): SignedIn {
    const tokens = parseSignedIn(this.values.get(tokensName) ?? '');
    if (tokens === undefined) throw new Error('No tokens are kept');
    return tokens;
  }
}
