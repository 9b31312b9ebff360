import type { SearchHit } from '../../agent/contract/search.ts';
import { UserFacing } from '../../base/errors.ts';
import { exactTime } from '../../base/localTime.ts';
import { oneLine } from '../../base/text.ts';
import type { CliCommand } from '../command.ts';
import { withEngine } from '../commandEngine.ts';
import { styleFor, type Style } from '../screen/style.ts';
import { wholeNumber } from '../values.ts';
import { exitCodes } from '../cliDeps.ts';

const usualCount = 20;

interface SearchOptions {
  readonly limit: number;
  readonly json?: boolean;
}

export const declareSearch = (helios: CliCommand): CliCommand =>
  helios
    .command('search')
    .summary('search all sessions: goals, messages, replies, calls and results, runs')
    .description(
      'Finds texts with all the words, newest first, ignoring case. Words in ' +
        'double quotes are one phrase: helios search \'"learning rate" warmup\'.',
    )
    .argument('<words...>', 'words to search for')
    .option('-n, --limit <count>', 'maximum number of results', wholeNumber, usualCount)
    .option(
      '--json',
      'print a JSON array: sessionId, goal, kind, atMs, eventId, snippet { text, marks }',
    )
    .addHelpText('after', '\nExit code: 0 found, 2 nothing found.')
    .runs((context, words: string[], { limit, json }: SearchOptions) =>
      withEngine(context, async ({ sessions }) => {
        const { deps } = context;
        const query = words.join(' ').trim();
        if (query === '')
          throw new UserFacing('There is nothing to search for.', 'Write helios search WORDS');
        const abort = new AbortController();
        const interrupt = deps.onInterrupt(() =>
          abort.abort(new Error('The search was interrupted.')),
        );
        const hits = await sessions
          .search(query, { limit, signal: abort.signal })
          .finally(() => interrupt.dispose());
        const style = styleFor(deps.stdout.isTTY === true, deps.env);
        deps.stdout.write(
          json
            ? `${JSON.stringify(hits, undefined, 2)}\n`
            : hitsText(hits, { query, limit, style }),
        );
        return hits.length === 0 ? exitCodes.ended : exitCodes.goal;
      }),
    );

interface Shown {
  readonly query: string;
  readonly limit: number;
  readonly style: Style;
}

function hitsText(hits: readonly SearchHit[], { query, limit, style }: Shown): string {
  if (hits.length === 0) return `No results for “${query}”.\n`;
  const lines: string[] = [];
  let lastId: string | undefined;
  for (const { sessionId, goal, kind, atMs, snippet } of hits) {
    if (sessionId !== lastId)
      lines.push(
        ...(lastId === undefined ? [] : ['']),
        `${style.bold(sessionId)}  ${oneLine(goal, 80)}`,
      );
    lastId = sessionId;
    lines.push(
      `  ${style.dim(`${exactTime(atMs)}  ${kind.padEnd(10)}`)}  ${marked(snippet, style)}`,
    );
  }
  if (hits.length === limit)
    lines.push('', `Only the newest ${limit} results are shown. More: -n ${limit * 5}`);
  return `${lines.join('\n')}\n`;
}

/** Returns the text with its matches in the accent colour or, without colours, in brackets. */
function marked({ text, marks }: SearchHit['snippet'], { accent }: Style): string {
  let result = '';
  let end = 0;
  for (const [from, to] of marks) {
    const word = text.slice(from, to);
    const coloured = accent(word);
    result += text.slice(end, from) + (coloured === word ? `[${word}]` : coloured);
    end = to;
  }
  return result + text.slice(end);
}
