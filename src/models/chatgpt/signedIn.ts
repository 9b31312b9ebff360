/** The tokens of a sign-in, and their form as text. */
import * as z from 'zod';

const shape = z.strictObject({
  accessToken: z.string().min(1),
  refreshToken: z.string().min(1),
  /** Expiry of the access token, in milliseconds since the epoch. */
  expiresAtMs: z.number(),
  /** The user's workspace that answers. */
  accountId: z.string().min(1),
  /** For example `plus`, `pro` or `team`. */
  plan: z.string().optional(),
  email: z.string().optional(),
});

export type SignedIn = Readonly<z.infer<typeof shape>>;

export const signedInText = (tokens: SignedIn): string => JSON.stringify(tokens);

/** Returns `undefined` for a text that does not hold tokens. */
export function parseSignedIn(text: string): SignedIn | undefined {
  try {
    return shape.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Formats as `ada@lab.org (plus)`; contains no secret. */
export const accountLabel = ({ email, plan, accountId }: SignedIn): string =>
  `${email ?? accountId}${plan === undefined ? '' : ` (${plan})`}`;
