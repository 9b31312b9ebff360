/** Recognises errors that only Bedrock reports, and tells the user what to do about them. */
import { codeOf, messageOf } from '../../base/errors.ts';
import { CallFailed } from '../guarded.ts';

const wrongModel = /model identifier is invalid|on-demand throughput|inference profile/i;

const profileHint =
  'Newer models need an inference profile: put global. (or us., eu., jp., apac.) before the id, as in global.anthropic.claude-opus-4-6-v1. List the profiles of your region with: aws bedrock list-inference-profiles';

/**
 * Matches the SDK's message for missing credentials. The SDK uses the same message when the
 * credential service cannot be reached.
 */
const withoutCredentials = /^Failed to resolve AWS credentials/;

/**
 * Returns a `CallFailed` with advice for an error that only Bedrock reports; any other error
 * unchanged.
 */
export function bedrockError(error: unknown, keyHint: string): unknown {
  if (!(error instanceof Error)) return error;
  if ('status' in error && error.status === 400 && wrongModel.test(error.message))
    return new CallFailed({
      reason: 'invalid',
      message: `AWS Bedrock answered ${error.message}. ${profileHint}`,
      status: 400,
    });
  if (!withoutCredentials.test(error.message) || isUnreachable(error.cause)) return error;
  return new CallFailed({
    reason: 'auth',
    message: `AWS credentials could not be loaded: ${messageOf(error.cause)}. ${keyHint}`,
  });
}

const unreached = /^(?:E(?:AI_)?[A-Z]{3,}|UND_ERR_)/;
const maxCauses = 8;

/**
 * Returns whether the error says that the credential service could not be reached, which may be
 * temporary. Also looks at the causes of the error.
 */
const isUnreachable = (cause: unknown, depth = 0): boolean =>
  cause instanceof Error &&
  depth < maxCauses &&
  (unreached.test(codeOf(cause) ?? '') || isUnreachable(cause.cause, depth + 1));
