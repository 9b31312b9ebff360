/**
 * Determines the code that a launch runs. In a folder of another machine that is in no repository,
 * this is the code that was uploaded there, with the changes that were made on the machine.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { newEventId } from '../../base/ids.ts';
import { isInFolder } from '../../machines/absolutePath.ts';
import type { Machine, Machines } from '../../machines/machine.ts';
import { localId } from '../../machines/machineEntry.ts';
import { realPath } from '../../machines/realPath.ts';
import { codeFilesOf, isCodeFile } from '../../experiments/codeDifference.ts';
import { copyPlace, launchedUpload, type CodeUpload } from '../../experiments/codeUpload.ts';
import { commandForm } from '../../experiments/commandForm.ts';
import type { CodeState } from '../../experiments/experiment.ts';
import { refOf, type ExperimentCodeStore } from '../../experiments/git/experimentCodeStore.ts';
import { looksSecret, namedLeftOut } from '../../experiments/git/leaveOut.ts';
import {
  filesIn,
  hashesOn,
  overlayFiles,
  storeBlob,
  type CodeRepository,
  type Overlaid,
  type TreeEntry,
} from '../../experiments/git/uploadedCode.ts';
import type { SessionEvent } from '../journal/events.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import type { CodeCapture } from './experimentPlans.ts';

export interface LaunchedCodeDeps {
  readonly log: SessionLog;
  readonly machines: Pick<Machines, 'get'>;
  readonly clock: Clock;
  readonly store: Pick<ExperimentCodeStore, 'capture' | 'differences' | 'discard'>;
}

const stepMs = 20_000;
/** Limits for files that were changed on the machine. */
const maxFetched = 100;
const maxFileBytes = 1_000_000;
/** Maximum number of uploads whose files are compared. */
const maxUploads = 10;
const maxNamed = 5;

export class LaunchedCode implements CodeCapture {
  readonly #deps: LaunchedCodeDeps;

  constructor(deps: LaunchedCodeDeps) {
    this.#deps = deps;
  }

  /** See `CodeCapture.capture`. Never rejects. */
  async capture(
    machine: Machine,
    folder: string,
    name: string | undefined,
    commands: readonly string[],
  ): Promise<CodeState> {
    const { log, store } = this.#deps;
    const there = await store.capture(machine, folder, name, commands);
    if (machine.kind === 'local' || there.kind === 'git') return there;
    const uploads = uploadsTo(log.events, machine);
    if (uploads.length === 0) return there;
    const launch = await launchOf(machine, folder, commands);
    const upload = launchedUpload(uploads, launch, machine.path);
    if (upload === undefined) return there;
    return this.#uploaded({ machine, upload, uploads, commands, folder: launch.folder }, name);
  }

  /** See `CodeCapture.differences`. */
  differences(code: CodeState): string | undefined {
    return this.#deps.store.differences(code);
  }

  /** See `CodeCapture.discard`. */
  discard(machine: Machine, repo: string, name: string): Promise<void> {
    return this.#deps.store.discard(machine, repo, name);
  }

  async #uploaded(launch: Launch, name: string | undefined): Promise<CodeState> {
    const { clock, machines, log } = this.#deps;
    const { commit, repo } = launch.upload;
    const place = { machine: machines.get(localId), repo, clock, timeoutMs: stepMs };
    const ref = name === undefined ? '' : refOf(log.state.id, name);
    const found = await this.#difference(launch, place).catch((error: unknown) =>
      unknownDifference(launch.machine, error, clock.now()),
    );
    try {
      const overlay = { commit, ref, message: `Code of ${name}`, files: found.files };
      return codeState(launch, await overlayFiles(place, overlay), found);
    } catch (error) {
      const why = `The code that was uploaded could not be stored: ${messageOf(error)}`;
      return { kind: 'none', why, notes: [why] };
    }
  }

  /** Compares the upload with the files on the machine. Stores those that differ. */
  async #difference(launch: Launch, place: CodeRepository): Promise<Difference> {
    const { machine, upload } = launch;
    const { root, folder } = copyPlace(upload, machine.path);
    const known = await this.#known(launch, place);
    const named = namedPaths(launch).filter((path) => isInFolder(machine.path, root, path));
    const { clock, timeoutMs } = place;
    const paths = [...new Set([...known.keys(), ...named])];
    const now = await hashesOn({ machine, clock, timeoutMs }, paths, upload.commit.length);
    const base = await filesIn(place, upload.commit, folder);
    const found = paths.map((path): Compared => {
      const there = machine.path.relative(root, path).split(machine.path.sep).join('/');
      const name = folder === '' ? there : `${folder}/${there}`;
      const [before, hash] = [known.get(path), now.get(path)];
      return { path, there, name, before, hash, kept: base.get(name)?.hash };
    });
    const { files, fetched, changed } = sortByPlace(found, upload);
    const { leftOut, ignored } = await fetchInto(files, fetched, { machine, place });
    const notes = changed.length === 0 ? [] : [changedNote(machine, changed, leftOut)];
    return { files, notes, leftOut, ignored };
  }

  /** Resolves with the files that uploads put at or below the root; a later upload counts. */
  async #known(
    { machine, upload, uploads }: Launch,
    place: CodeRepository,
  ): Promise<ReadonlyMap<string, KnownFile>> {
    const paths = machine.path;
    const { root } = copyPlace(upload, paths);
    const near = uploads
      .filter(({ to }) => isInFolder(paths, root, to) || isInFolder(paths, to, root))
      .slice(-maxUploads);
    const known = new Map<string, KnownFile>();
    for (const each of near) {
      const sent = await filesIn({ ...place, repo: each.repo }, each.commit, each.source);
      for (const [name, entry] of sent) {
        const there = each.isFile ? '' : within(each.source, name);
        const path = paths.join(each.to, there);
        if (isInFolder(paths, root, path) && !isNotSent(each, there))
          known.set(path, knownFile(each, name, entry));
      }
    }
    return known;
  }
}

const uploadsTo = (
  events: readonly SessionEvent[],
  { id }: Pick<Machine, 'id'>,
): readonly CodeUpload[] =>
  events.flatMap((event) =>
    event.type === 'code.uploaded' && event.upload.machineId === id ? [event.upload] : [],
  );

/** Returns the folders on the machine into which the session uploaded files, the newest first. */
export const uploadRoots = (
  events: readonly SessionEvent[],
  machine: Pick<Machine, 'id' | 'path'>,
): readonly string[] =>
  uploadsTo(events, machine)
    .map((upload) => copyPlace(upload, machine.path).root)
    .reverse();

interface Launch {
  readonly machine: Machine;
  readonly upload: CodeUpload;
  readonly uploads: readonly CodeUpload[];
  readonly commands: readonly string[];
  /** Folder in which the program starts, with links resolved. */
  readonly folder: string;
}

interface KnownFile extends TreeEntry {
  readonly repo: string;
  /** True if the file must be on the machine after the upload. */
  readonly isExpected: boolean;
}

const within = (folder: string, name: string): string =>
  name.slice(folder === '' ? 0 : folder.length + 1);

/** Returns whether the transfer did not write a file, by its path below the sent folder. */
const isNotSent = ({ notSent = [] }: CodeUpload, there: string): boolean =>
  notSent.some((name) => name === '.' || there === name || there.startsWith(`${name}/`));

const knownFile = ({ repo, notSent }: CodeUpload, name: string, entry: TreeEntry): KnownFile => ({
  ...entry,
  repo,
  isExpected:
    notSent !== undefined &&
    isCodeFile(name) &&
    !name.split('/').some((part) => part.startsWith('.')),
});

/** A file that was uploaded, or that a command names. */
interface Compared {
  /** Absolute path on the machine. */
  readonly path: string;
  /** Path below the root of the upload. */
  readonly there: string;
  /** Name in the repository. */
  readonly name: string;
  readonly before: KnownFile | undefined;
  /** Hash of the file on the machine; `undefined` if it is missing. */
  readonly hash: string | undefined;
  /** Hash of the file in the commit of the upload. */
  readonly kept: string | undefined;
}

/** Sorts the files that differ from the commit by where their content is. */
function sortByPlace(found: readonly Compared[], { repo }: Pick<CodeUpload, 'repo'>) {
  const files = new Map<string, TreeEntry | undefined>();
  const fetched: Fetched[] = [];
  const changed: string[] = [];
  for (const { path, there, name, before, hash, kept } of found) {
    if (hash === undefined) {
      if (kept === undefined || before?.isExpected !== true) continue;
      files.set(name, undefined);
      changed.push(`${there} (missing)`);
      continue;
    }
    if (before !== undefined && before.hash !== hash) changed.push(there);
    if (kept === hash) continue;
    const entry = { mode: before?.mode ?? '100644', hash };
    if (before?.repo === repo && before.hash === hash) files.set(name, entry);
    else fetched.push({ path, name, ...entry });
  }
  return { files, fetched, changed };
}

interface Fetched extends TreeEntry {
  readonly path: string;
  readonly name: string;
}

interface Difference {
  readonly files: ReadonlyMap<string, TreeEntry | undefined>;
  readonly notes: readonly string[];
  readonly leftOut: ReadonlyMap<string, string>;
  readonly ignored: string | undefined;
}

const codeState = (
  { machine, upload }: Launch,
  { tree, headTree, commit }: Overlaid,
  { leftOut, ignored, notes }: Difference,
): CodeState => ({
  kind: 'git',
  repo: upload.repo,
  tree,
  isDirty: tree !== headTree,
  ...(upload.head !== undefined && { head: upload.head }),
  ...(commit !== '' && { commit }),
  leftOut: [...upload.leftOut, ...namedLeftOut(leftOut)],
  ...(ignored !== undefined && { ignored }),
  uploaded: copyPlace(upload, machine.path),
  ...(notes.length > 0 && { notes }),
});

/** A unique value in `ignored`: the launch then equals no other. */
const unknownDifference = ({ id }: Machine, error: unknown, nowMs: number): Difference => ({
  files: new Map(),
  notes: [
    `The code on ${id} could not be compared with what was uploaded, which is stored: ${messageOf(error)}`,
  ],
  leftOut: new Map(),
  ignored: newEventId(nowMs),
});

/** Resolves with the folder of the command and the paths that it names, with links resolved. */
async function launchOf(
  machine: Machine,
  folder: string,
  commands: readonly string[],
): Promise<{ readonly folder: string; readonly named: readonly string[] }> {
  const { path: paths, homeFolder = '' } = machine;
  const command = commands[0] ?? '';
  const resolved = (from: string, path: string): string =>
    paths.resolve(from, path.replace(/^(?:~|\$HOME)(?=\/|$)/, homeFolder));
  const given = resolved(folder, commandForm(command).folder ?? '.');
  // If the machine does not answer, the launch itself repeats its attempts.
  const start = await realPath(machine, given).catch(() => given);
  const words = command.split(/["'=,\s:;()]+/).filter((word) => /[/.]/.test(word));
  return { folder: start, named: words.map((word) => resolved(start, word)) };
}

const namedPaths = ({ machine, folder, commands }: Launch): readonly string[] =>
  codeFilesOf(commands).map((file) => machine.path.join(folder, file));

/** Stores files of the machine. Files over the limits, binary files and secrets are left out. */
async function fetchInto(
  files: Map<string, TreeEntry | undefined>,
  fetched: readonly Fetched[],
  { machine, place }: { readonly machine: Machine; readonly place: CodeRepository },
): Promise<Pick<Difference, 'leftOut' | 'ignored'>> {
  const leftOut = new Map<string, string>();
  const unstored: string[] = [];
  for (const [index, { path, name, mode, hash }] of fetched.entries()) {
    const range = { offset: 0, maxBytes: maxFileBytes + 1 };
    const content = index < maxFetched ? await machine.readFile(path, range) : undefined;
    const why = content === undefined ? 'too many changed files' : whyNot(name, content);
    if (content !== undefined && why === undefined)
      files.set(name, { mode, hash: await storeBlob(place, content) });
    else {
      leftOut.set(Buffer.from(name).toString('latin1'), `changed on ${machine.id}, ${why}`);
      unstored.push(`${name} ${hash}`);
    }
  }
  return { leftOut, ignored: unstored.length === 0 ? undefined : digestOf(unstored) };
}

function whyNot(name: string, content: Uint8Array): string | undefined {
  if (content.length > maxFileBytes) return 'over 1 MB';
  if (content.includes(0)) return 'binary';
  return looksSecret(name, Buffer.from(content).toString('latin1'))
    ? 'looks like a secret'
    : undefined;
}

const digestOf = (lines: readonly string[]): string =>
  createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16);

function changedNote(
  { id }: Machine,
  changed: readonly string[],
  leftOut: ReadonlyMap<string, string>,
): string {
  const more = changed.length - maxNamed;
  const names = `${changed.slice(0, maxNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const left = leftOut.size === 0 ? '' : `, except: ${namedLeftOut(leftOut).join(', ')}`;
  return `The code on ${id} differs from what was uploaded: ${names}. The version on ${id} is stored${left}.`;
}
