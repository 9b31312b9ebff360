/** Performs the transfer that a survey has planned, and checks the result. */
import { randomBytes } from 'node:crypto';
import { formatBytes } from '../../base/text.ts';
import { MachineFailure } from '../machine.ts';
import { maxNameBytes, sendBatch } from './archive.ts';
import { batchesOf, type BatchLimits, type Batches } from './batches.ts';
import type { Named } from './end.ts';
import { endOf } from './endOf.ts';
import { bytesOf, placeText, textOf, type Bytes } from './ends.ts';
import { sendLarge } from './largeFile.ts';
import { baseOf, ownPrefix, parentOf } from './names.ts';
import type { Plan, Problem } from './plan.ts';
import type { Progress } from './progress.ts';
import { sourceNameOf, type Survey } from './survey.ts';
import { isSameTime, type Entry } from './tree.ts';

export interface Done {
  readonly files: number;
  readonly links: number;
  readonly folders: number;
  readonly deleted: number;
  readonly problems: readonly Problem[];
  readonly failure?: MachineFailure;
}

/**
 * Maximum number of files in a batch. An interrupted batch is sent again as a whole, which favours
 * small batches; each batch needs three commands, which favours large batches.
 */
const batchFiles = 5000;
/** Maximum total size of the files in a batch. */
const batchBytes = 64 * 2 ** 20;
/** Size from which a file is sent alone. */
const largeBytes = 32 * 2 ** 20;
/**
 * Number of batches at a time: the next batch is sent while the files of the previous batch are
 * being moved.
 */
const atOnce = 2;

interface Job {
  readonly survey: Survey;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** Error messages of the machines about single files. */
  readonly messages: string[];
  readonly problems: Problem[];
}

/**
 * Performs the transfer. Resolves with a report, which includes the failure that stopped the
 * transfer, if any; rejects only with internal errors.
 */
export async function carryOut(
  survey: Survey,
  progress: Progress,
  signal?: AbortSignal,
): Promise<Done> {
  const cut = new AbortController();
  const job: Job = {
    survey,
    progress,
    signal: signal ? AbortSignal.any([signal, cut.signal]) : cut.signal,
    messages: [],
    problems: [...survey.plan.problems, ...survey.complaints.map(complaintProblem)],
  };
  let failure: MachineFailure | undefined;
  let deleted = 0;
  try {
    const batches = batchesOf(survey.plan, survey.source, limitsFor(survey));
    await prepare(job, batches);
    await inTurns(tasksOf(job, batches), cut);
    deleted = await finish(job, batches);
  } catch (error) {
    if (!signal?.aborted && !(error instanceof MachineFailure)) throw error;
    if (!signal?.aborted) failure = error as MachineFailure;
  }
  const { freeBytes, leftBytes, ...done } = await checked(
    job,
    failure === undefined && !signal?.aborted,
  );
  if (failure?.reason === 'no_space') failure = fullFailure(survey, { freeBytes, leftBytes });
  return { ...done, deleted, ...(failure && { failure }) };
}

const limitsFor = ({ tools, singleSource }: Survey): BatchLimits => ({
  files: batchFiles,
  bytes: batchBytes,
  nameBytes: maxNameBytes(tools.from),
  // A single file is never sent in an archive, because its name may differ at the destination.
  largeBytes: singleSource === undefined ? largeBytes : 0,
});

async function prepare({ survey, signal }: Job, { folders, batches }: Batches): Promise<void> {
  if (folders.length + batches.length === 0) return;
  const { to } = survey;
  await endOf(to.machine).makeFolders(to, folders, signal);
}

type Task = () => Promise<void>;

function tasksOf(job: Job, { batches, large }: Batches): Task[] {
  const { survey, progress, signal, messages, problems } = job;
  const onBytes = progress.onBytes;
  return [
    ...batches.map((batch) => async () => {
      const staging = `${ownPrefix}${randomBytes(8).toString('hex')}.d`;
      messages.push(await sendBatch(survey, batch, staging, { signal, onBytes }));
      progress.placed(batch.files.length);
    }),
    ...large.map((name) => async () => {
      const entry = survey.source.get(name);
      if (!entry) return;
      const sourceName = sourceNameOf(survey, name);
      const file = { ...survey, name, sourceName, entry, there: survey.target };
      const problem = await sendLarge(file, { signal, onBytes });
      if (problem === undefined) progress.placed(1);
      else problems.push({ name, why: problem });
    }),
  ];
}

/**
 * Runs tasks, `atOnce` at a time. When a task fails, aborts the other tasks and rejects with that
 * failure.
 */
async function inTurns(tasks: readonly Task[], cut: AbortController): Promise<void> {
  const failures: unknown[] = [];
  const remaining = [...tasks];
  const work = async (): Promise<void> => {
    for (let task = remaining.shift(); task && failures.length === 0; task = remaining.shift())
      await task().catch((error: unknown) => {
        failures.push(error);
        cut.abort();
      });
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  if (failures.length > 0) throw failures[0];
}

/**
 * Completes the destination after the files were sent: sets permissions and the times of folders,
 * and deletes extra items. Resolves with the number of deleted items.
 */
async function finish({ survey, signal, messages }: Job, { folders }: Batches): Promise<number> {
  const { to, extra, plan } = survey;
  const end = endOf(to.machine);
  const changes = {
    folders: withEntries(survey, foldersToStamp(plan, folders)),
    modes: withEntries(survey, plan.modes),
    extra,
  };
  messages.push(await end.complete(to, changes, signal));
  if (extra.length === 0) return 0;
  const remaining = await end.list(to, { names: extra, signal });
  return extra.filter((name) => !remaining.entries.has(name)).length;
}

/** Returns the new folders to which items were added after they had been created. */
function foldersToStamp({ folders, links }: Plan, made: readonly Bytes[]): Bytes[] {
  const isChanged = new Set([...made, ...links.map(parentOf)]);
  return folders.filter((name) => isChanged.has(name)).reverse();
}

const withEntries = ({ source }: Survey, names: readonly Bytes[]): Named =>
  names.flatMap((name) => {
    const entry = source.get(name);
    return entry ? [[name, entry] as const] : [];
  });

/**
 * Checks the result of the transfer: lists both sides again, and counts only the items that are now
 * at the destination as planned. Adds a problem for each file that changed at the source meanwhile.
 * If `isToBeWhole`, also adds a problem for each missing item.
 */
async function checked(
  { survey, progress, problems, messages }: Job,
  isToBeWhole: boolean,
): Promise<Omit<Done, 'deleted'> & Room> {
  const { plan } = survey;
  const names = [...plan.files, ...plan.links, ...plan.folders];
  const sides = await bothSides(survey, names).catch(asFailure);
  if (sides instanceof MachineFailure) {
    const unknown = { links: 0, folders: 0, problems, freeBytes: NaN, leftBytes: 0 };
    return { files: progress.files, ...unknown, ...(isToBeWhole && { failure: sides }) };
  }
  const isThere = (name: Bytes): boolean =>
    isAsPlanned(survey.source.get(name), sides.target.entries.get(name));
  const missing = names.filter((name) => !isThere(name));
  const reportedNames = new Set(problems.map(({ name }) => name));
  const changed = plan.files.filter(
    (name) =>
      !isSameVersion(survey.source.get(name), sides.source.entries.get(sourceNameOf(survey, name))),
  );
  const more = [
    ...changed.map((name) => ({
      name,
      why: 'it changed during the transfer: send it again when it no longer changes',
    })),
    ...(isToBeWhole ? missing.map((name) => ({ name, why: reasonIn(messages, name) })) : []),
  ].filter(({ name }) => !reportedNames.has(name) && reportedNames.add(name));
  return {
    files: plan.files.filter(isThere).length,
    links: plan.links.filter(isThere).length,
    folders: plan.folders.filter(isThere).length,
    problems: [...problems, ...more],
    freeBytes: sides.target.freeBytes,
    leftBytes: plan.files.reduce(
      (sum, name) => sum + (isThere(name) ? 0 : (survey.source.get(name)?.sizeBytes ?? 0)),
      0,
    ),
  };
}

interface Room {
  readonly freeBytes: number;
  /** Size of the planned files that are not at the destination. */
  readonly leftBytes: number;
}

function fullFailure({ to }: Survey, { freeBytes, leftBytes }: Room): MachineFailure {
  const room = freeBytes >= 0 ? `, ${formatBytes(freeBytes)} are free` : '';
  return new MachineFailure(
    'no_space',
    `No space is left at ${placeText(to)}. ${formatBytes(leftBytes)} remain to be sent${room}. Free space, exclude files, or choose another folder.`,
  );
}

async function bothSides(survey: Survey, names: readonly Bytes[]) {
  const sourceNames = names.map((name) => sourceNameOf(survey, name));
  const [source, target] = await Promise.all([
    endOf(survey.from.machine).list(survey.from, { names: sourceNames }),
    endOf(survey.to.machine).list(survey.to, { names }),
  ]);
  return { source, target };
}

function asFailure(error: unknown): MachineFailure {
  if (error instanceof MachineFailure) return error;
  throw error;
}

const isSameVersion = (a: Entry | undefined, b: Entry | undefined): boolean =>
  a?.sizeBytes === b?.sizeBytes && a?.modified === b?.modified;

function isAsPlanned(source: Entry | undefined, target: Entry | undefined): boolean {
  if (source === undefined || source.kind !== target?.kind) return false;
  if (source.kind !== 'file') return true;
  return source.sizeBytes === target.sizeBytes && isSameTime(source.modified, target.modified);
}

/** Returns the reason why an item is missing, from the machines' error messages. */
function reasonIn(messages: readonly string[], name: Bytes): string {
  const [base, parent] = [`/${textOf(baseOf(name))}`, `/${textOf(parentOf(name))}: `];
  const line = messages
    .flatMap((part) => part.split('\n'))
    .find((candidate) => candidate.includes(base) || candidate.includes(parent));
  return line?.split(': ').at(-1) ?? 'it did not arrive';
}

const complaintProblem = (message: string): Problem => {
  const [, name = message, why = 'it cannot be read'] =
    /['‘]?\.\/(.+?)['’]?: (.+)$/.exec(message) ?? [];
  return { name: bytesOf(name), why };
};
