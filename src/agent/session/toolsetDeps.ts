/** Dependencies of a session's tools. */
import type { Clock } from '../../base/clock.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';
import type { LeaveOutLimits } from '../../experiments/git/leaveOut.ts';
import type { Machines } from '../../machines/machine.ts';
import type { MachineProbes } from '../../machines/probes/machineProbes.ts';
import type { MachineResources } from '../../machines/resources/machineResources.ts';
import type { PathRules } from '../../permissions/pathRules.ts';
import type { MemoryStore } from '../../memory/memoryStore.ts';
import type { Runs } from '../../runs/runs.ts';
import type { AllToolsDeps } from '../../tools/allTools.ts';
import type { HomeArchive } from './homeArchive.ts';
import type { Experiments } from '../experiments/experiments.ts';
import type { Imports } from '../experiments/imports.ts';
import type { EndEvidence, EndReason } from '../journal/events.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import type { Questions } from '../user/questions.ts';
import type { Confining } from '../runs/confining.ts';
import type { GitGuard } from '../runs/gitGuard.ts';
import type { SessionRuns } from '../runs/sessionRuns.ts';
import type { Sweeps } from '../runs/sweeps.ts';

export interface ToolsetDeps {
  readonly log: SessionLog;
  /** The session's folder. Absolute path. */
  readonly folder: string;
  readonly sessionRuns: SessionRuns;
  readonly sweeps: Sweeps;
  readonly questions: Questions;
  readonly experiments: Experiments;
  readonly imports: Imports;
  readonly runs: Runs;
  readonly memory: MemoryStore;
  readonly archive: HomeArchive;
  readonly machines: Machines;
  /** Id of the machine for calls that name none. */
  readonly defaultMachine: string;
  readonly git: GitGuard;
  readonly confining: Confining;
  readonly secrets: Redactor;
  readonly paths: PathRules;
  /** Returns the limits above which files are not stored with the code of experiments. */
  limits(): LeaveOutLimits;
  readonly probes: MachineProbes;
  readonly resources: MachineResources;
  readonly edits: AllToolsDeps['edits'];
  readonly consult: Pick<AllToolsDeps, 'pages' | 'searcher' | 'consultant' | 'writer'>;
  readonly clock: Clock;
  end(reason: EndReason, summary: string, ended: EndEvidence): Promise<void>;
}
