/** Stores the code that calls send from this computer to a machine. */
import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { messageOf, UserFacing } from '../../base/errors.ts';
import { removeFile } from '../../base/heldFiles.ts';
import type { CodeUpload } from '../../experiments/codeUpload.ts';
import type { CodeState } from '../../experiments/experiment.ts';
import { ExperimentCodeStore } from '../../experiments/git/experimentCodeStore.ts';
import {
  isPackageFolder,
  looksSecretByName,
  tooLarge,
  type LeaveOutLimits,
} from '../../experiments/git/leaveOut.ts';
import { uploadPrefix } from '../../experiments/git/worktrees.ts';
import { untrackedFiles } from '../../experiments/git/untrackedFiles.ts';
import { initRepository } from '../../experiments/git/uploadedCode.ts';
import type { Machine } from '../../machines/machine.ts';
import type {
  CodeTransfer,
  StoredTransfer,
  UntrackedFile,
  UploadRecorder,
} from '../../tools/machines/uploadRecorder.ts';
import type { SessionLog } from '../journal/sessionLog.ts';

export interface UploadRecorderDeps {
  readonly log: SessionLog;
  /** The session's folder. Absolute path. */
  readonly folder: string;
  readonly clock: Clock;
  limits(): LeaveOutLimits;
}

interface Deps extends UploadRecorderDeps {
  readonly store: ExperimentCodeStore;
}

export function createUploadRecorder(deps: UploadRecorderDeps): UploadRecorder {
  const store = new ExperimentCodeStore({ ...deps, sessionId: deps.log.state.id });
  return { store: (transfer, callId) => storeTransfer({ ...deps, store }, transfer, callId) };
}

type CommitState = Extract<CodeState, { kind: 'git' }> & { readonly commit: string };

/**
 * Stores the state of the sent files, before they are sent. Of a folder in no repository, the files
 * are copied to a repository in the session's folder. Never rejects.
 */
async function storeTransfer(
  deps: Deps,
  { from, to }: CodeTransfer,
  callId: string,
): Promise<StoredTransfer> {
  const { log } = deps;
  const number = log.events.filter(({ type }) => type === 'code.uploaded').length + 1;
  let upload: StoredUpload;
  try {
    upload = await storeUpload(deps, from, `${uploadPrefix}${number}`);
  } catch (error) {
    const why = `The code was not stored: ${messageOf(error)}`;
    return { why, record: () => Promise.resolve() };
  }
  const untracked = await untrackedOf(deps, from, upload);
  const sent = { machineId: to.machine.id, to: to.path, ...sourceOf(upload) };
  return {
    ...(untracked.length > 0 && { untracked }),
    record: async (notSent) => {
      const recorded = { ...sent, ...(notSent !== undefined && { notSent }) };
      await log.record({ type: 'code.uploaded', upload: recorded, callId });
    },
  };
}

/** Resolves with the files to send that git does not track in the user's checkout. */
async function untrackedOf(
  { clock }: Deps,
  { machine }: CodeTransfer['from'],
  upload: StoredUpload,
): Promise<readonly UntrackedFile[]> {
  const { repo, commit } = upload.code;
  const { source, isFile } = sourceOf(upload);
  const names = await untrackedFiles(machine, { folder: repo, commit, clock });
  const folder = source === '' || isFile ? '' : `${source}/`;
  return names
    .filter((name) => (isFile ? name === source : name.startsWith(folder)))
    .map((name) => ({ name, path: isFile ? path.basename(name) : name.slice(folder.length) }));
}

const sourceOf = ({ code, path: place, isFile }: StoredUpload): UploadSource => ({
  repo: code.repo,
  ...(code.head !== undefined && { head: code.head }),
  commit: code.commit,
  source: path.relative(code.repo, place).split(path.sep).join('/'),
  isFile,
  leftOut: code.leftOut,
});

type UploadSource = Omit<CodeUpload, 'machineId' | 'to' | 'notSent'>;

interface StoredUpload {
  readonly code: CommitState;
  /** Absolute path of the sent file or folder, or of its copy. */
  readonly path: string;
  readonly isFile: boolean;
}

async function storeUpload(
  deps: Deps,
  from: CodeTransfer['from'],
  name: string,
): Promise<StoredUpload> {
  const isFile = !(await stat(from.path)).isDirectory();
  const folder = isFile ? path.dirname(from.path) : from.path;
  const code = await deps.store.capture(from.machine, folder, name, []);
  if (hasCommit(code)) return { code, path: from.path, isFile };
  const only = isFile ? path.basename(from.path) : undefined;
  return { ...(await storeCopy(deps, { machine: from.machine, folder, only }, name)), isFile };
}

interface Original {
  readonly machine: Machine;
  readonly folder: string;
  /** Name of the only file to copy. Omitted: the folder. */
  readonly only: string | undefined;
}

/** Stores a copy of the files, in a repository in the session's folder. */
async function storeCopy(
  { folder: sessionFolder, limits, store, clock }: Deps,
  { machine, folder, only }: Original,
  name: string,
): Promise<Omit<StoredUpload, 'isFile'>> {
  const copy = path.join(sessionFolder, 'code', digestOf(folder));
  await copyCode(folder, copy, { limits: limits(), only });
  await initRepository({ machine, repo: copy, clock, timeoutMs: 20_000 });
  const code = await store.capture(machine, copy, name, []);
  if (!hasCommit(code)) throw new UserFacing(code.kind === 'none' ? code.why : notWritable(copy));
  return { code, path: path.join(copy, only ?? '') };
}

const hasCommit = (code: CodeState): code is CommitState =>
  code.kind === 'git' && code.commit !== undefined;

const notWritable = (folder: string): string => `${folder} is not writable.`;

const digestOf = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 16);

interface CopyRules extends Pick<Original, 'only'> {
  readonly limits: LeaveOutLimits;
}

/** Makes `to` a copy of the code in a folder, without secrets, large files and packages. */
async function copyCode(from: string, to: string, { limits, only = '' }: CopyRules): Promise<void> {
  if (only === '') await emptyFolder(to);
  await mkdir(to, { recursive: true });
  await cp(path.join(from, only), path.join(to, only), {
    recursive: true,
    force: true,
    preserveTimestamps: true,
    filter: codeIn(from, limits),
  });
}

/** Returns a function that selects the files and folders to copy, up to the limits. */
function codeIn(from: string, limits: LeaveOutLimits): (source: string) => Promise<boolean> {
  let files = 0;
  let bytes = 0;
  return async (source) => {
    const name = path.relative(from, source).split(path.sep).join('/');
    if (name !== '' && isNeverCopied(name)) return false;
    const facts = await stat(source).catch(() => undefined);
    if (facts?.isFile() !== true) return facts?.isDirectory() === true;
    if (tooLarge(name, facts.size, limits) !== undefined) return false;
    files += 1;
    bytes += facts.size;
    return files <= limits.maxFiles && bytes <= limits.maxTotalBytes;
  };
}

const isNeverCopied = (name: string): boolean =>
  name.split('/').at(-1) === '.git' || isPackageFolder(name) || looksSecretByName(name);

/** Removes all but the repository from a folder. */
async function emptyFolder(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names)
    if (name !== '.git') await removeFile(path.join(folder, name), { recursive: true });
}
