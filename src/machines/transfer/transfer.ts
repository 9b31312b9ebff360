/**
 * Copies files and folders from one machine to another, or within this computer. Nothing is stored
 * on this computer in between. A file appears at the destination completely or not at all. Files
 * that are already equal are not sent, and an interrupted transfer resumes.
 */
import { systemClock } from '../../base/clock.ts';
import { MachineFailure } from '../machine.ts';
import { carryOut } from './carryOut.ts';
import { textOf } from './ends.ts';
import { Progress } from './progress.ts';
import { surveyed, type Survey } from './survey.ts';
import type { TransferReport, TransferRequest } from './transferRequest.ts';

/**
 * Performs a transfer and resolves with a report. Rejects with `MachineFailure` if the transfer
 * could not start.
 */
export async function transfer(request: TransferRequest): Promise<TransferReport> {
  const { from, to, clock = systemClock } = request;
  // A server may allow only one command at a time, and a transfer needs two.
  if (from.machine.id === to.machine.id && from.machine.kind !== 'local')
    throw new MachineFailure(
      'io',
      `Both paths are on ${to.machine.id}. Copy them with a command on that machine, such as cp -a.`,
    );
  const beganMs = clock.now();
  const survey = await surveyed(request);
  const { plan, bytes } = survey;
  const planned = { files: plan.files.length, bytes };
  const totals = { totalFiles: planned.files, totalBytes: bytes };
  const progress = new Progress(clock, totals, (update) => request.onProgress?.(update));
  const done = request.isDryRun
    ? nothingDone(survey)
    : await carryOut(survey, progress, request.signal);
  return {
    outcome: request.isDryRun ? 'dry_run' : outcomeOf(done, request.signal),
    ...(done.failure && { failure: done.failure }),
    files: done.files,
    links: done.links,
    folders: done.folders,
    deleted: done.deleted,
    same: plan.same,
    excluded: survey.excluded.map(textOf),
    refused: plan.refused.map(({ name, why }) => ({ path: textOf(name), why })),
    planned,
    sentBytes: progress.bytes,
    problems: done.problems.map(({ name, why }) => ({ path: textOf(name), why })),
    durationMs: clock.now() - beganMs,
  };
}

type Done = Awaited<ReturnType<typeof carryOut>>;

const nothingDone = ({ plan }: Survey): Done => ({
  files: 0,
  links: 0,
  folders: 0,
  deleted: 0,
  problems: plan.problems,
});

function outcomeOf(
  { failure, problems }: Done,
  signal: AbortSignal | undefined,
): TransferReport['outcome'] {
  if (failure) return 'stopped';
  if (signal?.aborted) return 'aborted';
  return problems.length > 0 ? 'partial' : 'complete';
}
