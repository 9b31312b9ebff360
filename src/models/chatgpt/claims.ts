/**
 * Reads the claims of a sign-in token. The token came from the service itself over TLS, so its
 * signature is not checked.
 */
import * as z from 'zod';

const ofAccount = z
  .object({ chatgpt_account_id: z.string().min(1), chatgpt_plan_type: z.string() })
  .partial();
const shape = z.object({
  exp: z.number().optional(),
  email: z.string().optional(),
  'https://api.openai.com/profile': z.object({ email: z.string().optional() }).optional(),
  'https://api.openai.com/auth': ofAccount.optional(),
});

export interface Claims {
  readonly expiresAtMs?: number;
  readonly email?: string;
  readonly accountId?: string;
  readonly plan?: string;
}

/** Returns the claims of a token; no claims if the text is not a JSON web token. */
export function claimsOf(token: string | undefined): Claims {
  const { data } = shape.safeParse(payloadOf(token));
  if (data === undefined) return {};
  const { chatgpt_account_id: accountId, chatgpt_plan_type: plan } =
    data['https://api.openai.com/auth'] ?? {};
  const email = data.email ?? data['https://api.openai.com/profile']?.email;
  return {
    ...(data.exp !== undefined && { expiresAtMs: data.exp * 1000 }),
    ...(email !== undefined && { email }),
    ...(accountId !== undefined && { accountId }),
    ...(plan !== undefined && { plan }),
  };
}

function payloadOf(token = ''): unknown {
  try {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
