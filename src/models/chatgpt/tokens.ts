/**
 * Renews the tokens of the sign-in before they expire, also when several processes use the same
 * sign-in.
 */
import { delay } from '../../base/clock.ts';
import { adviceOf } from '../../base/errors.ts';
import { CallFailed } from '../guarded.ts';
import type { Readiness } from '../model.ts';
import { signInHint } from './codexService.ts';
import { parseSignedIn, signedInText, tokensName, type SignedIn } from './signedIn.ts';
import { refreshTokens, TokensRefused, type AuthService } from './tokenEndpoint.ts';

/** Name under which unreadable tokens are stored for inspection. */
export const damagedName = 'chatgpt-damaged';

export interface TokenStore {
  /** Returns the stored value, also if another process wrote it. */
  read(name: string): Promise<string | undefined>;
  /** Stores the value; `undefined` deletes it. */
  write(name: string, value: string | undefined): Promise<void>;
}

export interface TokensOptions extends AuthService {
  readonly store: TokenStore;
}

/** Remaining validity at which tokens are renewed. */
const marginMs = 5 * 60_000;
/**
 * Maximum number of polls of the store. If two processes renew the tokens at the same time, the
 * service refuses the second process, which then polls the store for the tokens of the first.
 */
const maxPolls = 5;
const pollEveryMs = 400;
const refreshLimitMs = 30_000;

export class ChatgptTokens {
  readonly #options: TokensOptions;
  #renewing: Promise<SignedIn> | undefined;
  /**
   * Renewed tokens that could not be stored, so only this process has them. `inPlaceOf` is the
   * refresh token that they replace.
   */
  #unstored: { readonly inPlaceOf: string; readonly fresh: SignedIn } | undefined;

  constructor(options: TokensOptions) {
    this.#options = options;
  }

  /**
   * Returns tokens that are valid for some minutes; renews them if necessary. Rejects with
   * `CallFailed`.
   */
  async current(): Promise<SignedIn> {
    const tokens = await this.#latest();
    return this.#endsSoon(tokens) ? this.#renew(tokens) : tokens;
  }

  /**
   * Returns new tokens after the service refused the tokens `refused`. Rejects with `CallFailed`.
   */
  async renewed(refused: SignedIn): Promise<SignedIn> {
    const tokens = await this.#latest();
    return tokens.accessToken === refused.accessToken || this.#endsSoon(tokens)
      ? this.#renew(tokens)
      : tokens;
  }

  /** Reports whether there is a sign-in. Never rejects, makes no request. */
  async readiness(): Promise<Readiness> {
    try {
      await this.#latest();
      return { isReady: true };
    } catch (error) {
      const problem = error instanceof SignedOut ? error.problem : adviceOf(error);
      return { isReady: false, problem, action: signInHint };
    }
  }

  async #latest(): Promise<SignedIn> {
    const tokens = await this.#stored();
    if (tokens === undefined) throw new SignedOut('You are not signed in to ChatGPT.');
    return this.#unstored?.inPlaceOf === tokens.refreshToken ? this.#unstored.fresh : tokens;
  }

  async #stored(): Promise<SignedIn | undefined> {
    const { store } = this.#options;
    const text = await store.read(tokensName);
    if (text === undefined) return undefined;
    const tokens = parseSignedIn(text);
    if (tokens !== undefined) return tokens;
    await store.write(damagedName, text);
    await store.write(tokensName, undefined);
    throw new SignedOut(`The stored ChatGPT sign-in is damaged. It was saved as ${damagedName}.`);
  }

  #endsSoon({ expiresAtMs }: SignedIn): boolean {
    return expiresAtMs - this.#options.clock.now() <= marginMs;
  }

  /** Renews the tokens. Concurrent callers share one request. */
  #renew(old: SignedIn): Promise<SignedIn> {
    this.#renewing ??= this.#renewOnce(old).finally(() => (this.#renewing = undefined));
    return this.#renewing;
  }

  async #renewOnce(outdated: SignedIn): Promise<SignedIn> {
    const old = await this.#latest();
    // Another process has renewed the tokens in the meantime.
    if (old.accessToken !== outdated.accessToken && !this.#endsSoon(old)) return old;
    const limit = new AbortController();
    const timer = this.#options.clock.after(refreshLimitMs, () => limit.abort());
    try {
      return await this.#store(old, await refreshTokens(this.#options, old, limit.signal));
    } catch (error) {
      if (!(error instanceof TokensRefused)) throw error;
      return await this.#without(old, error);
    } finally {
      timer.dispose();
    }
  }

  /**
   * Stores new tokens and returns the tokens to use. If another process has meanwhile signed out,
   * signed in with another account or stored newer tokens, the stored state stays unchanged.
   */
  async #store(old: SignedIn, fresh: SignedIn): Promise<SignedIn> {
    const stored = await this.#stored();
    if (stored === undefined) throw new SignedOut('You have signed out of ChatGPT.');
    const isReplaced =
      stored.refreshToken !== old.refreshToken && this.#unstored?.inPlaceOf !== stored.refreshToken;
    if (
      isReplaced &&
      (stored.accountId !== fresh.accountId || stored.expiresAtMs >= fresh.expiresAtMs)
    )
      return stored;
    this.#unstored = { inPlaceOf: stored.refreshToken, fresh };
    await this.#options.store.write(tokensName, signedInText(fresh)).then(
      () => (this.#unstored = undefined),
      // If storing fails (a full disk), this process continues with the tokens it has.
      () => undefined,
    );
    return fresh;
  }

  async #without(old: SignedIn, refused: TokensRefused): Promise<SignedIn> {
    if (!refused.isFinal) {
      if (old.expiresAtMs > this.#options.clock.now() && this.#endsSoon(old)) return old;
      throw new CallFailed({
        reason: refused.status === undefined ? 'network' : 'server',
        message: `The ChatGPT sign-in could not be renewed. ${refused.message}`,
        ...(refused.status !== undefined && { status: refused.status }),
      });
    }
    for (let poll = 0; poll <= maxPolls; poll++) {
      if (poll > 0) await delay(this.#options.clock, pollEveryMs);
      const stored = await this.#latest();
      if (stored.refreshToken !== old.refreshToken) return stored;
    }
    await this.#options.store.write(tokensName, undefined);
    throw new SignedOut(`Your ChatGPT sign-in has ended. ${refused.message}`);
  }
}

class SignedOut extends CallFailed {
  readonly problem: string;

  constructor(problem: string) {
    super({ reason: 'auth', message: `${problem} ${signInHint}` });
    this.problem = problem;
  }
}
