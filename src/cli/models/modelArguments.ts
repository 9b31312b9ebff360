/** `helios models`: which of them are wanted. */
import { readWords } from '../command.ts';

export interface ModelOptions {
  readonly isJson: boolean;
  /** Asks the providers anew. */
  readonly isFresh: boolean;
  readonly provider: string | undefined;
}

const usage = 'helios models [--provider NAME] [--refresh] [--json].';

/** Throws `UserFacing` with what is understood. */
export function parseModelOptions(words: readonly string[]): ModelOptions {
  const options = {
    json: { type: 'boolean', default: false },
    refresh: { type: 'boolean', default: false },
    provider: { type: 'string', short: 'P' },
  } as const;
  const { json, refresh, provider } = readWords(words, { options, maxWords: 0, usage }).values;
  return { isJson: json, isFresh: refresh, provider };
}

export const modelHelp = `Usage: helios models [options]

Lists the models of every provider that can be called, with what they hold and cost.

Options:
  -P, --provider NAME  only of this one
  --refresh            ask the providers anew; otherwise what they said within the hour is shown
  --json               { "models": […], "problems": {…} }
  --home FOLDER        where the keys and the list live (default: HELIOS_HOME, or ~/.helios)

A model is asked for with -m: by its id, as provider/id, or by its family (opus, sonnet, gpt, gpt-mini, codex, …), which
is the newest of it.
`;
