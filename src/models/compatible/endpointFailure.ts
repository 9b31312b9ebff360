/** Recognises why an endpoint refused a request when the status alone does not say. */
import { messageOf } from '../../base/errors.ts';

/**
 * Matches the refusals of:
 * - Ollama: `gemma:2b does not support tools`
 * - vLLM: `"auto" tool choice requires --enable-auto-tool-choice …`
 * - llama.cpp: `tools param requires --jinja flag`
 * - OpenRouter: `No endpoints found that support tool use`
 * - others: `Unrecognized request argument supplied: tools`
 */
const refusedTools =
  /does not support (?:tool|function)|--enable-auto-tool-choice|--jinja|no endpoints found that support tool|\btools?\b[^.]*\b(?:is|are) not (?:supported|permitted|allowed)|(?:unrecognized|unknown|unsupported|unexpected)[^.]*\b(?:tools|tool_choice)\b/i;

/**
 * Returns whether the endpoint refused the request because of its tools. Without tools, the same
 * request may succeed.
 */
export const refusesTools = (error: unknown): boolean =>
  error instanceof Error && statusOf(error) >= 400 && refusedTools.test(messageOf(error));

function statusOf(error: Error): number {
  return 'status' in error && typeof error.status === 'number' ? error.status : 0;
}

/**
 * Adds the status to an error inside a stream that began with status 200, so that the error can be
 * classified. OpenRouter and llama.cpp put the status into the error's code.
 */
export function withStatus(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || statusOf(error) !== 0) return error;
  const code = Number(error.code);
  return Number.isInteger(code) && code >= 400 && code < 600
    ? Object.assign(error, { status: code })
    : error;
}
