import { basename, dirname } from 'node:path/posix';
import { formatBytes } from '../../base/text.ts';
import { MachineFailure } from '../machine.ts';
import { bytesOf, type Bytes, type Place } from './ends.ts';
import { closedNames, isGitignore, withoutExcluded, type ExcludeRules } from './excludes.ts';
import { planOf, type Plan } from './plan.ts';
import {
  checksums,
  listTree,
  readLinks,
  readTexts,
  type Entry,
  type Tools,
  type Tree,
} from './tree.ts';
import type { TransferRequest } from './transferRequest.ts';

/** The two folders of a transfer, with their entries and the plan. */
export interface Survey {
  readonly from: Place;
  readonly to: Place;
  /**
   * Names of the file in both folders if a single file is transferred. Absent if whole folders are
   * transferred.
   */
  readonly single?: { readonly name: Bytes; readonly targetName: Bytes };
  readonly source: ReadonlyMap<Bytes, Entry>;
  readonly target: ReadonlyMap<Bytes, Entry>;
  readonly links: ReadonlyMap<Bytes, Bytes>;
  readonly tools: { readonly from: Tools; readonly to: Tools };
  readonly plan: Plan;
  readonly bytes: number;
  readonly excluded: readonly Bytes[];
  /**
   * Names to delete, because they exist only at the destination. Empty unless the request has
   * `delete`.
   */
  readonly extra: readonly Bytes[];
  readonly complaints: readonly string[];
}

/**
 * Lists the source and the destination of a transfer, and plans the transfer, without changing
 * anything. Rejects with `MachineFailure` when nothing can be transferred: `missing`, `denied`,
 * `no_space`, or `io` if one side is a file and the other a folder.
 */
export async function surveyed(request: TransferRequest): Promise<Survey> {
  const { from, to, exclude = [], signal } = request;
  const tree = await listTree(from, { as: 'folder', closed: closedNames(exclude), signal });
  if (tree.root === 'nothing')
    throw new MachineFailure('missing', `${placeText(from)} does not exist.`);
  const survey =
    tree.root === 'file' ? await surveyFile(request) : await surveyFolder(request, tree);
  const { plan, source, target } = survey;
  const sizeOf = (entries: ReadonlyMap<Bytes, Entry>, name: Bytes): number =>
    entries.get(name)?.sizeBytes ?? 0;
  const bytes = plan.files.reduce((sum, name) => sum + sizeOf(source, name), 0);
  const grownBytes = plan.files.reduce(
    (sum, name) => sum + sizeOf(source, name) - sizeOf(target, name),
    0,
  );
  assertRoom(to, grownBytes, survey.freeBytes);
  return { ...survey, bytes };
}

type Surveyed = Omit<Survey, 'bytes'> & { readonly freeBytes: number };

async function surveyFile({ from, to, checksum, signal }: TransferRequest): Promise<Surveyed> {
  const names = { name: bytesOf(basename(from.path)), targetName: bytesOf(basename(to.path)) };
  const [ours, theirs] = await Promise.all([
    listTree(from, { as: 'file', names: [names.name], followsLinks: true, signal }),
    listTree(to, { as: 'file', names: [names.targetName], signal }),
  ]);
  if (theirs.root === 'folder')
    throw new MachineFailure(
      'io',
      `${placeText(to)} is a folder and ${placeText(from)} is a file. Add the file name to the destination.`,
    );
  const folders = {
    from: { machine: from.machine, path: dirname(from.path) },
    to: { machine: to.machine, path: dirname(to.path) },
  };
  const entry = ours.entries.get(names.name);
  const source = new Map(entry ? [[names.name, entry]] : []);
  const there = theirs.entries.get(names.targetName);
  const target = new Map([...theirs.entries, ...(there ? [[names.name, there] as const] : [])]);
  const tools = { from: ours.tools, to: theirs.tools };
  const sameContent =
    checksum && there?.kind === 'file'
      ? await sameSums({ ...folders, tools, names: [names] }, signal)
      : checksum
        ? new Set<Bytes>()
        : undefined;
  return {
    ...folders,
    single: names,
    source,
    target,
    links: new Map(),
    tools,
    plan: planOf({ source, target, sameLinks: new Set(), sameContent }),
    excluded: [],
    extra: [],
    complaints: ours.complaints,
    freeBytes: theirs.freeBytes,
  };
}

async function surveyFolder(request: TransferRequest, tree: Tree): Promise<Surveyed> {
  const { from, to, signal } = request;
  const rules = await rulesOf(request, tree);
  const { kept: source, excluded } = withoutExcluded(tree.entries, rules);
  const theirs = await listTree(to, { as: 'folder', names: [...source.keys()], signal });
  if (theirs.root === 'file')
    throw new MachineFailure(
      'io',
      `${placeText(to)} is a file and ${placeText(from)} is a folder. Choose another destination.`,
    );
  const target = theirs.entries;
  const tools = { from: tree.tools, to: theirs.tools };
  const { links, sameLinks } = await linksOf(request, source, target);
  const sameContent = request.checksum
    ? await sameFiles(request, { source, target, tools })
    : undefined;
  return {
    from,
    to,
    source,
    target,
    links,
    tools,
    plan: planOf({ source, target, sameLinks, sameContent }),
    excluded,
    extra: request.delete ? await extraOf(request, tree, rules) : [],
    complaints: tree.complaints,
    freeBytes: theirs.freeBytes,
  };
}

async function rulesOf(
  { from, exclude = [], gitignore, signal }: TransferRequest,
  tree: Tree,
): Promise<ExcludeRules> {
  const files = gitignore ? [...tree.entries.keys()].filter(isGitignore) : [];
  return { patterns: exclude, gitignores: await readTexts(from, files, signal) };
}

async function linksOf(
  { from, to, signal }: TransferRequest,
  source: ReadonlyMap<Bytes, Entry>,
  target: ReadonlyMap<Bytes, Entry>,
) {
  const names = [...source].filter(([, { kind }]) => kind === 'link').map(([name]) => name);
  const there = names.filter((name) => target.get(name)?.kind === 'link');
  const [links, theirs] = await Promise.all([
    readLinks(from, names, signal),
    readLinks(to, there, signal),
  ]);
  return {
    links,
    sameLinks: new Set(there.filter((name) => links.get(name) === theirs.get(name))),
  };
}

async function sameFiles(
  { from, to, signal }: TransferRequest,
  { source, target, tools }: Pick<Survey, 'source' | 'target' | 'tools'>,
): Promise<ReadonlySet<Bytes>> {
  const names = [...source].flatMap(([name, entry]) => {
    const there = target.get(name);
    const isLikely =
      entry.kind === 'file' && there?.kind === 'file' && there.sizeBytes === entry.sizeBytes;
    return isLikely ? [{ name, targetName: name }] : [];
  });
  return sameSums({ from, to, tools, names }, signal);
}

async function sameSums(
  {
    from,
    to,
    tools,
    names,
  }: Pick<Survey, 'from' | 'to' | 'tools'> & {
    readonly names: readonly { readonly name: Bytes; readonly targetName: Bytes }[];
  },
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<Bytes>> {
  const [ours, theirs] = await Promise.all([
    checksums(
      from,
      tools.from,
      names.map(({ name }) => name),
      signal,
    ),
    checksums(
      to,
      tools.to,
      names.map(({ targetName }) => targetName),
      signal,
    ),
  ]);
  const isSame = ({ name, targetName }: { name: Bytes; targetName: Bytes }): boolean =>
    ours.has(name) && ours.get(name) === theirs.get(targetName);
  return new Set(names.filter(isSame).map(({ name }) => name));
}

/**
 * Resolves with the names that exist only at the destination, content before its folder. Excluded
 * names are omitted, so that they are not deleted.
 */
async function extraOf(
  { to, exclude = [], signal }: TransferRequest,
  tree: Tree,
  rules: ExcludeRules,
) {
  const { entries } = await listTree(to, { as: 'folder', closed: closedNames(exclude), signal });
  const { kept } = withoutExcluded(entries, rules);
  return [...kept.keys()].filter((name) => name !== '.' && !tree.entries.has(name)).reverse();
}

function assertRoom(to: Place, neededBytes: number, freeBytes: number): void {
  if (Number.isNaN(freeBytes) || neededBytes <= freeBytes) return;
  throw new MachineFailure(
    'no_space',
    `${placeText(to)} has ${formatBytes(freeBytes)} free, but the transfer needs ${formatBytes(neededBytes)}: ` +
      `${formatBytes(neededBytes - freeBytes)} are missing. Nothing was sent. Free space, exclude files, or choose another folder.`,
  );
}

export const placeText = ({ machine, path }: Place): string =>
  machine.kind === 'local' ? path : `${path} on ${machine.id}`;
