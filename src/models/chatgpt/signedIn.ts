/** The tokens of a sign-in: what they are, and how they are kept as text. */
import * as z from 'zod';

const shape = z.strictObject({
  accessToken: z.string().min(1),
  refreshToken: z.string().min(1),
  /** Of the access token, in milliseconds since the epoch. */
  expiresAtMs: z.number(),
  /** Which of the user's workspaces answers. */
  accountId: z.string().min(1),
  /** Such as `plus`, `pro` or `team`. */
  plan: z.string().optional(),
  email: z.string().optional(),
});

export type SignedIn = Readonly<z.infer<typeof shape>>;

export const signedInText = (tokens: SignedIn): string => JSON.stringify(tokens);

/** `undefined` for a text that does not hold them. */
export function parseSignedIn(text: string): SignedIn | undefined {
  try {
    return shape.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** `ada@lab.org (plus)`; nothing in it is secret. */
export const accountLabel = ({ email, plan, accountId }: SignedIn): string =>
  `${email ?? accountId}${plan === undefined ? '' : ` (${plan})`}`;
