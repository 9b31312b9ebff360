/** The text of the status bar. */
import { nothingSpent } from '../../presentation/limits.ts';
import type { PermissionMode } from '../../permissions/mode.ts';
import { modeEffects } from '../../presentation/sessions/permissionText.ts';
import { costLines } from '../../presentation/costs.ts';
import { oneLine } from '../../base/text.ts';
import type { CommandId } from '../ui/contributions.ts';
import { limitLines } from './costTable.ts';
import {
  costText,
  sleepText,
  isAlive,
  isOpen,
  isWorking,
  metricText,
  needsUser,
  openQuestions,
  sleepSpan,
  statusLine,
  type Glance,
  sessionName,
} from '../../presentation/sessions/sessionText.ts';
import { plain } from '../../base/markdown.ts';
import { retryText } from '../../presentation/sessions/retryText.ts';
import { runName } from '../../presentation/runs/runText.ts';

/** The only command to which the tooltip links. */
export const modeCommand = 'helios.changePermissionMode' satisfies CommandId;

export interface StatusBarText {
  readonly text: string;
  /** Tooltip, as Markdown. */
  readonly tooltip: string;
  readonly spoken: string;
  /** Whether the item has the warning colour, because the user has to act. */
  readonly isWarning: boolean;
}

/**
 * Returns, for example, `$(beaker) Helios`, `$(sync~spin) Helios: loss 0.83 ↓ · run 7 · $1.20` or
 * `$(clock) Helios: sleeping until run 7 ends · 2 h 10 min`. Of several sessions, shows a session
 * that needs the user, otherwise a working session, otherwise a sleeping session. Pending approvals
 * are shown instead of a session. Ends with the permission mode unless that is `ask`. `approvals`:
 * number of pending approvals. `folderMode` returns the mode of the next session, and is called only
 * if no session is shown, because it reads a file.
 */
export function statusBarText(
  glances: readonly Glance[],
  approvals: number,
  nowMs: number,
  folderMode: () => PermissionMode = () => 'ask',
): StatusBarText {
  const open = glances.filter(({ state }) => isOpen(state));
  const shown = [...open].sort(
    (a, b) => urgency(a) - urgency(b) || b.state.lastEventMs - a.state.lastEventMs,
  )[0];
  const others = open.length > 1 ? ` · +${open.length - 1}` : '';
  const mode = shown === undefined ? folderMode() : (shown.permissions?.mode ?? 'ask');
  const suffix = mode === 'ask' ? '' : ` · ${mode}`;
  const about = open.map((glance) => tooltipOf(glance, nowMs)).join('\n\n---\n\n');
  const tooltip = `${about || 'Helios: no session. Click to start a goal.'}\n\n---\n\n${modeTooltip(mode)}`;
  if (approvals > 0) {
    const asks = `Helios needs ${approvals === 1 ? 'your approval' : `${approvals} approvals`}`;
    return {
      text: `$(shield) ${asks}`,
      tooltip,
      spoken: asks,
      isWarning: true,
    };
  }
  if (shown === undefined)
    return {
      text: `$(beaker) Helios${suffix}`,
      tooltip,
      spoken: `Helios, no session${suffix}`,
      isWarning: false,
    };
  const { icon, words } = indicator(shown, nowMs);
  const name = askingName(open);
  return {
    text: `$(${icon}) ${name}: ${words}${suffix}${others}`,
    tooltip,
    // A count down would be read aloud each second.
    spoken: `${name}: ${shown.retry?.why ?? statusLine(shown, nowMs)}${suffix}`,
    isWarning: needsUser(shown.state),
  };
}

/** Returns the name of Helios, with the number of the questions that no one has answered yet. */
function askingName(open: readonly Glance[]): string {
  const count = open.reduce((sum, { state }) => sum + openQuestions(state).length, 0);
  return count === 0 ? 'Helios' : `Helios has ${count === 1 ? 'a question' : `${count} questions`}`;
}

const modeTooltip = (mode: PermissionMode): string =>
  `Permission mode **${mode}**: ${modeEffects[mode]} [Change](command:${modeCommand})`;

function urgency({ state }: Glance): number {
  if (needsUser(state)) return 0;
  if (isWorking(state)) return 1;
  return state.phase === 'sleeping' ? 2 : 3;
}

function indicator(
  { state, metric, retry }: Glance,
  nowMs: number,
): { icon: string; words: string } {
  if (retry !== undefined) {
    const words = retryText({ why: oneLine(retry.why, 60), retryMs: retry.atMs - nowMs });
    return { icon: 'watch', words };
  }
  if (state.phase === 'sleeping' && state.sleep !== undefined) {
    const until = oneLine(sleepText(state.sleep.request, state, nowMs), 40);
    return { icon: 'clock', words: `sleeping ${until} · ${sleepSpan(state.sleep, nowMs)}` };
  }
  if (state.phase === 'paused')
    return {
      icon: needsUser(state) ? 'warning' : 'debug-pause',
      words: `paused · ${costText(state)}`,
    };
  const run = metric?.runNumber ?? newestRun(state);
  const words = [
    metric ? metricText(metric) : `turn ${state.turns}`,
    run === undefined ? '' : runName(run),
    costText(state),
  ];
  return { icon: 'sync~spin', words: words.filter((word) => word !== '').join(' · ') };
}

function newestRun(state: Glance['state']): number | undefined {
  const alive = [...state.runs.values()].filter(isAlive);
  return alive.at(-1)?.spec.number;
}

function tooltipOf(glance: Glance, nowMs: number): string {
  const { state } = glance;
  const costs = [...costLines(state), ...limitLines({ state, today: nothingSpent, nowMs })];
  return [
    `**${plain(sessionName(state), 200)}**`,
    plain(statusLine(glance, nowMs), 300),
    ...costs.map((part) => plain(part, 200)),
  ].join('\n\n');
}
