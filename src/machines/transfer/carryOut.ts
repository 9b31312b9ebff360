/** Performs the transfer that a survey has planned, and checks the result. */
import { randomBytes } from 'node:crypto';
import { formatBytes, shellQuote } from '../../base/text.ts';
import { MachineFailure } from '../machine.ts';
import { lineful, maxNameBytes, sendBatch, sendFolders } from './archive.ts';
import { batchesOf, type BatchLimits, type Batches } from './batches.ts';
import { bytesOf, failureAt, quoted, run, textOf, type Bytes } from './ends.ts';
import { sendLarge } from './largeFile.ts';
import { plainMode, type Problem } from './plan.ts';
import type { Progress } from './progress.ts';
import { placeText, type Survey } from './survey.ts';
import { isSameTime, listTree, ownPrefix, type Entry } from './tree.ts';

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
    deleted = await finish(job);
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

const limitsFor = ({ tools, single }: Survey): BatchLimits => ({
  files: batchFiles,
  bytes: batchBytes,
  nameBytes: maxNameBytes(tools.from),
  // A single file is never sent in an archive, because its name may differ at the destination.
  largeBytes: single ? 0 : largeBytes,
});

const inTarget = ({ to }: Survey, lines: readonly Bytes[]): Bytes[] => {
  const folder = bytesOf(shellQuote(to.path));
  return [`mkdir -p -- ${folder} && cd -- ${folder} || exit 1`, ...lines];
};

const makeFolders = (names: readonly Bytes[]): Bytes[] =>
  lineful(names.filter((name) => name !== '.').map((name) => quoted(`./${name}`))).map(
    (words) => `mkdir -p -- ${words}`,
  );

async function prepare({ survey, signal }: Job, { folders, batches }: Batches): Promise<void> {
  if (folders.length + batches.length === 0) return;
  const { stderr, code } = await run(
    survey.to.machine,
    inTarget(survey, makeFolders(folders)),
    signal,
  );
  if (code !== 0) throw failureAt(survey.to, stderr, 'create folders in');
}

type Task = () => Promise<void>;

function tasksOf(job: Job, { batches, large }: Batches): Task[] {
  const { survey, progress, signal, messages, problems } = job;
  const onBytes = progress.onBytes;
  return [
    ...batches.map((batch) => async () => {
      const staging = `${ownPrefix}${randomBytes(8).toString('hex')}.d`;
      messages.push(await sendBatch(survey, batch, staging, { signal, onBytes }));
      progress.placed(batch.names.length);
    }),
    ...large.map((name) => async () => {
      const entry = survey.source.get(name);
      if (!entry) return;
      const names = survey.single ?? { name, targetName: name };
      const file = {
        ...survey,
        ...names,
        entry,
        there: survey.target,
        followsLinks: survey.single !== undefined,
      };
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
 * Completes the destination after the files were sent: creates empty folders and links, sets
 * permissions and the times of folders, and deletes extra items. Resolves with the number of
 * deleted items.
 */
async function finish({ survey, signal, messages, progress }: Job): Promise<number> {
  const { plan, links, source, to, extra } = survey;
  const lines = [
    ...makeFolders(plan.folders),
    ...plan.links.map((name) => linkLine(name, links.get(name) ?? '', survey.target.has(name))),
    ...modeLines(plan.modes, source),
    ...extra.map(
      (name) => `rm -f -- ${quoted(`./${name}`)} 2>/dev/null || rmdir -- ${quoted(`./${name}`)}`,
    ),
  ];
  if (lines.length > 0)
    messages.push((await run(to.machine, inTarget(survey, lines), signal)).stderr);
  if (plan.folders.length > 0)
    await sendFolders(survey, plan.folders, { signal, onBytes: progress.onBytes });
  if (extra.length === 0) return 0;
  const remaining = await listTree(to, { as: 'folder', names: extra, signal });
  return extra.filter((name) => !remaining.entries.has(name)).length;
}

/** Returns the shell line that creates a link. Replaces an existing item in one step. */
function linkLine(name: Bytes, target: Bytes, isThere: boolean): Bytes {
  const link = `ln -s -- ${quoted(target)}`;
  if (!isThere) return `${link} ${quoted(`./${name}`)}`;
  const at = name.lastIndexOf('/');
  const folder = `${ownPrefix}${randomBytes(8).toString('hex')}.d`;
  const staged = quoted(`${folder}/${name.slice(at + 1)}`);
  return `mkdir ${folder} && ${link} ${staged} && mv -f -- ${staged} ${quoted(`./${name.slice(0, at + 1)}`)}; rm -rf ${folder}`;
}

const modeLines = (names: readonly Bytes[], source: Survey['source']): Bytes[] =>
  [...Map.groupBy(names, (name) => plainMode(source.get(name)?.mode ?? 0o644))].flatMap(
    ([mode, group]) =>
      lineful(group.map((name) => quoted(`./${name}`))).map(
        (words) => `chmod ${mode.toString(8)} ${words}`,
      ),
  );

/**
 * Checks the result of the transfer: lists both sides again, and counts only the items that are now
 * at the destination as planned. Adds a problem for each file that changed at the source meanwhile.
 * If `isToBeWhole`, also adds a problem for each missing item.
 */
async function checked(
  { survey, progress, problems, messages }: Job,
  isToBeWhole: boolean,
): Promise<Omit<Done, 'deleted' | 'failure'> & Room> {
  const { plan, single } = survey;
  const names = [...plan.files, ...plan.links, ...plan.folders];
  const sides = await bothSides(survey, names).catch(() => undefined);
  if (!sides)
    return { files: progress.files, links: 0, folders: 0, problems, freeBytes: NaN, leftBytes: 0 };
  const isThere = (name: Bytes): boolean =>
    isAsPlanned(survey.source.get(name), sides.target.entries.get(single?.targetName ?? name));
  const missing = names.filter((name) => !isThere(name));
  const reportedNames = new Set(problems.map(({ name }) => name));
  const changed = plan.files.filter(
    (name) => !isSameVersion(survey.source.get(name), sides.source.entries.get(name)),
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

async function bothSides({ from, to, single }: Survey, names: readonly Bytes[]) {
  const refresh = single ? 'file' : 'folder';
  const place = (of: Survey['from']) => (single ? { ...of, path: `${of.path}/x` } : of);
  const [source, target] = await Promise.all([
    listTree(place(from), { as: refresh, names, followsLinks: single !== undefined }),
    listTree(place(to), { as: refresh, names: single ? [single.targetName] : names }),
  ]);
  return { source, target };
}

const isSameVersion = (a: Entry | undefined, b: Entry | undefined): boolean =>
  a?.sizeBytes === b?.sizeBytes && a?.modified === b?.modified;

function isAsPlanned(source: Entry | undefined, target: Entry | undefined): boolean {
  if (source === undefined || source.kind !== target?.kind) return false;
  if (source.kind !== 'file') return true;
  return source.sizeBytes === target.sizeBytes && isSameTime(source.modified, target.modified);
}

/** Returns the reason why a file is missing, from the machines' error messages. */
function reasonIn(messages: readonly string[], name: Bytes): string {
  const text = textOf(name);
  const line = messages
    .flatMap((part) => part.split('\n'))
    .find((candidate) => candidate.includes(text) && !candidate.includes(ownPrefix));
  return line?.split(': ').slice(-1)[0] ?? 'it did not arrive';
}

const complaintProblem = (message: string): Problem => {
  const [, name = message, why = 'it cannot be read'] =
    /['‘]?\.\/(.+?)['’]?: (.+)$/.exec(message) ?? [];
  return { name: bytesOf(name), why };
};
