/** Asks for one line at the terminal. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { CliDeps } from './cliDeps.ts';

/**
 * Resolves with the line that the user types; `undefined` if the input ends or `signal` is aborted.
 * A hidden answer is not echoed.
 */
export function readLine(
  { stdin, stdout }: Pick<CliDeps, 'stdin' | 'stdout'>,
  { question, isHidden }: { readonly question: string; readonly isHidden: boolean },
  signal: AbortSignal,
): Promise<string | undefined> {
  if (signal.aborted) return Promise.resolve(undefined);
  const answer = Promise.withResolvers<string | undefined>();
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  // With `terminal: true`, readline echoes what the user types to `output`, which discards the
  // echo.
  const lines = createInterface({
    input: stdin,
    ...(isHidden ? { output, terminal: true } : { terminal: false }),
  });
  const give = (line: string | undefined): void => {
    answer.resolve(line);
    signal.removeEventListener('abort', giveUp);
    lines.close();
    if (isHidden) stdout.write('\n');
  };
  const giveUp = (): void => give(undefined);
  signal.addEventListener('abort', giveUp, { once: true });
  lines.once('line', give);
  lines.once('SIGINT', giveUp);
  lines.once('close', () => answer.resolve(undefined));
  stdout.write(question);
  return answer.promise;
}
