/** The short report of a session, in Markdown: what was asked, what was reached, and every run with its measured values. */
import { formatDuration, formatValue, oneLine } from '../base/text.ts';
import { rowStatus, summaryFor, type Ledger, type LedgerRow } from '../experiments/ledger.ts';
import { targetText } from '../experiments/target.ts';
import { billText, costLines } from './costs.ts';
import type { EndReason } from './events.ts';
import type { SessionState } from './state.ts';

/** Numbers come from the ledger and the evidence, which hold measured values only; the summary is the model's. */
export function buildReport(state: SessionState, ledger: Ledger): string {
  const parts = [
    `# ${escaped(oneLine(state.goal, 200))}`,
    outcome(state),
    evidencePart(state),
    runsPart(ledger),
    `## Session\n\n${sessionLines(state).join('\n')}`,
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function outcome({ end, target }: SessionState): string {
  if (end === undefined) return 'The session has not ended.';
  const aim = target === undefined ? '' : ` (measured: \`${targetText(target)}\`)`;
  return `**${reasonText(end.reason)}**${aim}\n\n${end.summary.trim()}`;
}

function evidencePart({ end }: SessionState): string {
  if (end === undefined || end.evidence.length === 0) return '';
  const rows = end.evidence.map(
    ({ run, metric, last, best, lastStep, count }) =>
      `| ${run} | ${cell(metric)} | ${formatValue(last)} | ${formatValue(best)} | ${Number.isNaN(lastStep) ? '' : lastStep} | ${count} |`,
  );
  return `## Evidence\n\n| Run | Metric | Last | Best | Last step | Points |\n| :-- | :-- | --: | --: | --: | --: |\n${rows.join('\n')}`;
}

function runsPart(ledger: Ledger): string {
  if (ledger.rows.length === 0) return '## Runs\n\nNo run was made.';
  const metric = ledger.decisive?.metric;
  const head = metric === undefined ? 'Metric' : cell(metric);
  const rows = ledger.rows.map((row) => runRow(row, metric));
  const champion =
    ledger.champion === undefined
      ? ''
      : `\n\nBest: run ${ledger.champion.number}, \`${oneLine(ledger.champion.command, 300)}\``;
  return `## Runs\n\n| Run | What | Result | Time | ${head}, last | best |\n| --: | :-- | :-- | --: | --: | --: |\n${rows.join('\n')}${champion}`;
}

function runRow(row: LedgerRow, metric: string | undefined): string {
  const summary = metric === undefined ? row.metrics[0] : summaryFor(row.metrics, metric);
  const verdict = rowStatus(row);
  const took =
    row.startedMs === undefined || row.endedMs === undefined ? '' : formatDuration(row.endedMs - row.startedMs);
  const values = summary === undefined ? ' | ' : `${formatValue(summary.last)} | ${formatValue(summary.best)}`;
  const name = row.isChampion ? `**${row.number}**` : String(row.number);
  return `| ${name} | ${cell(row.label)} | ${cell(verdict)} | ${took} | ${values} |`;
}

function sessionLines(state: SessionState): string[] {
  const usd = state.hasUnknownCost ? `${billText(state)} (some prices are unknown)` : billText(state);
  const cost = state.provider === 'demo' ? 'none: the offline demo is scripted, no model was called' : usd;
  return [
    `- Session: \`${state.id}\` in \`${state.workFolder}\``,
    `- Model: ${state.provider === 'demo' ? 'offline demo (scripted, not a language model)' : `${state.provider} ${state.model}`}`,
    `- Started: ${new Date(state.startedMs).toISOString()}, took ${formatDuration(state.lastEventMs - state.startedMs)}`,
    `- Turns: ${state.turns}; runs: ${state.runs.size}; cost: ${cost}`,
    ...(state.provider === 'demo' ? [] : costLines(state).map((line) => `- ${escaped(line)}`)),
  ];
}

function reasonText(reason: EndReason): string {
  switch (reason) {
    case 'goal':
      return 'The goal is met.';
    case 'blocked':
      return 'Blocked: only a person can go on.';
    case 'budget':
      return 'The budget is used up.';
    case 'no_progress':
      return 'Ended: no progress.';
    case 'plateau':
      return 'Ended: experiment after experiment brought nothing better.';
    case 'user':
      return 'Stopped by the person.';
    case 'error':
      return 'Ended by an error.';
  }
}

const escaped = (text: string): string => text.replace(/[\\`*_[\]<>#|]/g, '\\$&');
const cell = (text: string): string => escaped(oneLine(text, 80));
