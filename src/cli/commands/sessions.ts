import type { Engine } from '../../agent/contract/engine.ts';
import type { SessionOwner, SessionSummary } from '../../agent/contract/sessions.ts';
import {
  costText,
  endText,
  activeText,
  sessionName,
} from '../../presentation/sessions/sessionText.ts';
import { placeText } from '../../presentation/sessions/placeText.ts';
import { relativeTime } from '../../base/span.ts';
import { cleanText, oneLine } from '../../base/text.ts';
import { columnsText } from '../screen/columns.ts';
import type { CliCommand } from '../command.ts';
import { withEngine } from '../commandEngine.ts';
import { wholeNumber } from '../values.ts';
import { exitCodes } from '../cliDeps.ts';

const usualCount = 20;
const pipeColumns = 160;

export const declareSessions = (helios: CliCommand): CliCommand =>
  helios
    .command('sessions')
    .summary('list the sessions with their state, newest first')
    .description(
      'Lists the sessions of the home folder, newest first. Other commands take the number in front, the id, or ' +
        'the beginning of the id.',
    )
    .option(
      '-n, --limit <count>',
      `maximum number of sessions (default: ${usualCount}; with --json: all)`,
      wholeNumber,
    )
    .option(
      '--json',
      'print a JSON array: n, id, goal, title, state, owner, best, runs, going, turns, usd, startedMs, lastEventMs, …',
    )
    .runs(
      (context, { limit, json = false }: { readonly limit?: number; readonly json?: boolean }) =>
        withEngine(context, async (engine) => {
          const { stdout, clock } = context.deps;
          const all = await engine.sessions.list();
          const rows = await withOwners(
            engine,
            all.slice(0, limit ?? (json ? Infinity : usualCount)),
          );
          const shown = {
            hiddenCount: all.length - rows.length,
            nowMs: clock.now(),
            columns: stdout.columns,
          };
          stdout.write(
            json ? `${JSON.stringify(rows.map(jsonOf), undefined, 2)}\n` : tableText(rows, shown),
          );
          return exitCodes.goal;
        }),
    );

interface SessionRow {
  readonly n: number;
  readonly summary: SessionSummary;
  readonly owner: SessionOwner | undefined;
}

/** Adds the process that runs it to each session. An ended session has no such process. */
const withOwners = (
  { sessions }: Engine,
  listed: readonly SessionSummary[],
): Promise<SessionRow[]> =>
  Promise.all(
    listed.map(async (summary, index) => ({
      n: index + 1,
      summary,
      owner: summary.endReason === undefined ? await sessions.owner(summary.id) : undefined,
    })),
  );

const stateText = ({ summary, owner }: SessionRow): string =>
  summary.endReason === undefined ? placeText(summary, owner) : endText(summary.endReason);

const jsonOf = (row: SessionRow): object => ({
  n: row.n,
  ...row.summary,
  state: stateText(row),
  owner: row.owner,
});

interface Shown {
  /** Number of sessions that are not shown. */
  readonly hiddenCount: number;
  readonly nowMs: number;
  readonly columns: number | undefined;
}

function tableText(
  rows: readonly SessionRow[],
  { hiddenCount, nowMs, columns = pipeColumns }: Shown,
): string {
  if (rows.length === 0) return 'There is no session yet. Start one with a goal: helios "…"\n';
  const header = ['n', 'session', 'state', 'best', 'runs', 'cost', 'last', 'goal'];
  const body = rows.map((row): string[] => {
    const { id, best = '', runs, going, lastEventMs } = row.summary;
    const age = relativeTime(lastEventMs, nowMs);
    return [
      String(row.n),
      id,
      stateText(row),
      best,
      `${runs}${activeText(going, row.owner !== undefined)}`,
      costText(row.summary),
      age,
      oneLine(cleanText(sessionName(row.summary)), 200),
    ];
  });
  const more =
    hiddenCount > 0
      ? `\n${hiddenCount} older ${hiddenCount === 1 ? 'session is' : 'sessions are'} not shown. List all: helios sessions -n ${rows.length + hiddenCount}\n`
      : '';
  return `${columnsText(header, body, columns)}${more}`;
}
