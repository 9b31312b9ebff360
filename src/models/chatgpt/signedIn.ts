/** The tokens of a sign-in, and their storage format. */
import * as z from 'zod';

/** Name under which the engine stores the tokens. */
export const tokensName = 'chatgpt';

const shape = z.strictObject({
  accessToken: z.string().min(1),
  refreshToken: z.string().min(1),
  /** Expiry of the access token, in milliseconds since the epoch. */
  expiresAtMs: z.number(),
  /** Id of the ChatGPT workspace, which is sent with every call. */
  accountId: z.string().min(1),
  /** For example `plus`, `pro` or `team`. */
  plan: z.string().optional(),
  email: z.string().optional(),
});

export type SignedIn = Readonly<z.infer<typeof shape>>;

export const signedInText = (tokens: SignedIn): string => JSON.stringify(tokens);

/** Parses stored tokens; `undefined` if the text is not in the storage format. */
export function parseSignedIn(text: string): SignedIn | undefined {
  try {
    return shape.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Describes the account without secrets, such as `ada@lab.org (plus)`. */
export const accountLabel = ({ email, plan, accountId }: SignedIn): string =>
  `${email ?? accountId}${plan === undefined ? '' : ` (${plan})`}`;
