/** `/metric` and `/metrics clear` in the chat: the values of the session's newest runs. */
import type { ChatResponseStream } from 'vscode';
import type { Engine } from '../../agent/contract/engine.ts';
import type { Session } from '../../agent/contract/sessions.ts';
import { UserFacing } from '../../base/errors.ts';
import { plain } from '../../base/markdown.ts';
import { counted, formatValue } from '../../base/text.ts';
import { showButton } from './chatStream.ts';

const maxRuns = 12;
const maxMetrics = 6;

export interface MetricTalk {
  readonly session: Session | undefined;
  readonly engine: Engine;
  readonly stream: ChatResponseStream;
}

/**
 * Shows the values of the metrics that `prompt` names; of all metrics if it is empty. Throws
 * `UserFacing` if there is no session.
 */
export function showMetricValues(prompt: string, { session, stream }: MetricTalk): void {
  const rows = required(session).ledger.rows.slice(-maxRuns).toReversed();
  const measured = [...new Set(rows.flatMap((row) => row.metrics.map(({ metric }) => metric)))];
  const asked = prompt.split(/[\s,]+/).filter((name) => name !== '');
  const names = (asked.length > 0 ? asked : measured).slice(0, maxMetrics);
  if (measured.length === 0) return stream.markdown('No metric was read yet.\n');
  const cells = (texts: readonly string[]): string => `| ${texts.join(' | ')} |`;
  const lines = rows.map(({ number, label, metrics }) =>
    cells([
      String(number),
      plain(label, 40),
      ...names.map((name) => {
        const found = metrics.find(({ metric }) => metric === name);
        return found === undefined ? '' : formatValue(found.last);
      }),
    ]),
  );
  const head = cells(['Run', 'Label', ...names.map((name) => plain(name, 40))]);
  stream.markdown(
    `${head}\n${cells(['--:', '---', ...names.map(() => '--:')])}\n${lines.join('\n')}\n\n`,
  );
  showButton(stream, 'helios.showMetrics', 'Show Metrics', required(session).id);
}

/** Clears the points that were read so far from the active runs of a session. */
export function clearMetricValues(prompt: string, { session, engine, stream }: MetricTalk): void {
  if (prompt.trim() !== 'clear')
    throw new UserFacing('There is no such command.', 'Use /metric NAMES, or /metrics clear.');
  const active = required(session).ledger.rows.filter(({ verdict }) => verdict === undefined);
  for (const { runId } of active) engine.runs.get(runId)?.metrics.clear();
  stream.markdown(`Cleared the metrics of ${counted(active.length, 'active run')}.\n`);
}

function required(session: Session | undefined): Session {
  if (session !== undefined) return session;
  throw new UserFacing('No session is open in this window.', 'Start a goal first.');
}
