/** Validates requests of webviews. */
import { ErrorCodes, ResponseError } from 'vscode-jsonrpc';
import type { z } from 'zod';

export interface Refused {
  readonly message: string;
}

export const refusal = (
  message: string,
  code: number = ErrorCodes.InvalidRequest,
): ResponseError<Refused> => new ResponseError(code, message, { message });

/** Returns a valid request; throws a `ResponseError` that names the invalid part. */
export function checked<T>(schema: z.ZodType<T>, request: unknown): T {
  const result = schema.safeParse(request);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw refusal(
    `Refused: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim(),
    ErrorCodes.InvalidParams,
  );
}
