/** Validates requests of webviews, and creates the errors for refused requests. */
import { ErrorCodes, ResponseError } from 'vscode-jsonrpc';
import type * as z from 'zod';

export interface Refused {
  readonly message: string;
}

export const refusal = (
  message: string,
  code: number = ErrorCodes.InvalidRequest,
): ResponseError<Refused> => new ResponseError(code, message, { message });

/** Returns the request if it matches the schema; otherwise throws a `ResponseError`. */
export function checked<T>(schema: z.ZodType<T>, request: unknown): T {
  const result = schema.safeParse(request);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw refusal(
    `Refused: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim(),
    ErrorCodes.InvalidParams,
  );
}
