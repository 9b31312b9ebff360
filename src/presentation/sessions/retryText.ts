/** The text about a model call that is repeated after a wait. */
import { formatSpan } from '../../base/span.ts';

/** Returns, for example, `Anthropic is limiting requests; next try in 27 s`. */
export const retryText = ({
  why,
  retryMs,
}: {
  readonly why: string;
  readonly retryMs: number;
}): string => `${why}; next try in ${formatSpan(Math.ceil(retryMs / 1000) * 1000)}`;
