/** Connects the tools for the code of experiments to a session. */
import type { Clock } from '../../base/clock.ts';
import { Worktrees } from '../../experiments/git/worktrees.ts';
import type { LeaveOutLimits } from '../../experiments/git/leaveOut.ts';
import type { Machines } from '../../machines/machine.ts';
import type { ExperimentCode } from '../../tools/experiments/experimentCode.ts';
import type { SessionRuns } from '../runs/sessionRuns.ts';
import type { SessionLog } from '../journal/sessionLog.ts';

export interface ExperimentCodeDeps {
  readonly log: SessionLog;
  readonly sessionRuns: SessionRuns;
  readonly machines: Machines;
  readonly clock: Clock;
  /** Returns the limits above which files are not stored with the code of experiments. */
  limits(): LeaveOutLimits;
}

export const createExperimentCode = ({
  log,
  sessionRuns,
  machines,
  clock,
  limits,
}: ExperimentCodeDeps): ExperimentCode => ({
  machines,
  clock,
  worktrees: new Worktrees({ sessionId: log.state.id, clock, limits }),
  championFolder() {
    const champion = sessionRuns.ledger().rows.find(({ isChampion }) => isChampion);
    return champion && log.state.runs.get(champion.runId)?.spec.cwd;
  },
});
