import { basename, dirname } from 'node:path/posix';
import { formatBytes } from '../../base/text.ts';
import { MachineFailure } from '../machine.ts';
import { checksums, readLinks, readTexts } from './contents.ts';
import { bytesOf, placeText, type Bytes, type Place } from './ends.ts';
import { closedNames, isGitignore, withoutExcluded, type ExcludeRules } from './excludes.ts';
import { planOf, type Plan } from './plan.ts';
import { listTree, type Entries, type Tools, type Tree } from './tree.ts';
import type { TransferRequest } from './transferRequest.ts';

/** The two folders of a transfer, and the items in them that are compared. */
interface Sides {
  /** Source. Its path has no links, like that of `to`. */
  readonly from: Place;
  readonly to: Place;
  /**
   * Names of the file in both folders if a single file is transferred. Absent if whole folders are
   * transferred.
   */
  readonly single?: { readonly name: Bytes; readonly targetName: Bytes };
  readonly source: Entries;
  /**
   * Entries under the names that they have in the source, and temporary files of earlier attempts.
   */
  readonly target: Entries;
  readonly tools: { readonly from: Tools; readonly to: Tools };
  readonly freeBytes: number;
  readonly excluded: readonly Bytes[];
  /**
   * Names to delete, because they exist only at the destination, content before its folder. Empty
   * unless the request has `delete`.
   */
  readonly extra: readonly Bytes[];
}

export interface Survey extends Sides {
  readonly links: ReadonlyMap<Bytes, Bytes>;
  readonly plan: Plan;
  readonly bytes: number;
  readonly complaints: readonly string[];
}

/** Returns the name at the destination of an item of the source. */
export const targetNameOf = ({ single }: Sides, name: Bytes): Bytes => single?.targetName ?? name;

/**
 * Lists the source and the destination of a transfer, and plans the transfer, without changing
 * anything. Rejects with `MachineFailure` when nothing can be transferred: `missing`, `denied`,
 * `no_space`, or `io` if one side is a file and the other a folder.
 */
export async function surveyed(request: TransferRequest): Promise<Survey> {
  const { from, exclude = [], checksum, signal } = request;
  const tree = await listTree(from, { closed: closedNames(exclude), signal });
  if (tree.root === 'nothing')
    throw new MachineFailure('missing', `${placeText(from)} does not exist.`);
  const sides = await (tree.root === 'file' ? fileSides : folderSides)(request, tree);
  const { links, sameLinks } = await linksOf(sides, signal);
  const sameContent = checksum ? await sameFiles(sides, signal) : undefined;
  const plan = planOf({ ...sides, links, sameLinks, sameContent });
  const sizeOf = (entries: Entries, name: Bytes): number => entries.get(name)?.sizeBytes ?? 0;
  const bytes = plan.files.reduce((sum, name) => sum + sizeOf(sides.source, name), 0);
  const replacedBytes = plan.files.reduce((sum, name) => sum + sizeOf(sides.target, name), 0);
  assertRoom(sides, bytes - replacedBytes);
  return { ...sides, links, plan, bytes, complaints: tree.complaints };
}

async function fileSides({ from, to, signal }: TransferRequest, { path }: Tree): Promise<Sides> {
  const [name, targetName] = [bytesOf(basename(path)), bytesOf(basename(to.path))];
  const [ours, theirs] = await Promise.all([
    listTree({ ...from, path: dirname(path) }, { names: [name], signal }),
    listTree({ ...to, path: dirname(to.path) }, { names: [targetName], signal }),
  ]);
  const there = theirs.entries.get(targetName);
  if (there?.kind === 'folder')
    throw new MachineFailure(
      'io',
      `${placeText(to)} is a folder and ${placeText(from)} is a file. Add the file name to the destination.`,
    );
  const entry = ours.entries.get(name);
  return {
    ...placesOf({ from, to }, ours, theirs),
    single: { name, targetName },
    source: new Map(entry ? [[name, entry]] : []),
    target: new Map([...theirs.entries, ...(there ? [[name, there] as const] : [])]),
    excluded: [],
    extra: [],
  };
}

async function folderSides(request: TransferRequest, tree: Tree): Promise<Sides> {
  const { from, to, signal } = request;
  const rules = await rulesOf(request, tree);
  const { kept: source, excluded } = withoutExcluded(tree.entries, rules);
  const theirs = await listTree(to, { names: [...source.keys()], signal });
  if (theirs.root === 'file')
    throw new MachineFailure(
      'io',
      `${placeText(to)} is a file and ${placeText(from)} is a folder. Choose another destination.`,
    );
  return {
    ...placesOf({ from, to }, tree, theirs),
    source,
    target: theirs.entries,
    excluded,
    extra: request.delete ? await extraOf(request, tree, rules) : [],
  };
}

const placesOf = (
  { from, to }: Pick<TransferRequest, 'from' | 'to'>,
  ours: Tree,
  theirs: Tree,
) => ({
  from: { ...from, path: ours.path },
  to: { ...to, path: theirs.path },
  tools: { from: ours.tools, to: theirs.tools },
  freeBytes: theirs.freeBytes,
});

async function rulesOf(
  { from, exclude = [], gitignore, signal }: TransferRequest,
  { entries }: Tree,
): Promise<ExcludeRules> {
  const isRead = (name: Bytes): boolean => isGitignore(name) && entries.get(name)?.kind === 'file';
  const files = gitignore ? [...entries.keys()].filter(isRead) : [];
  return { patterns: exclude, gitignores: await readTexts(from, files, signal) };
}

async function linksOf(
  { from, to, source, target }: Sides,
  signal: AbortSignal | undefined,
): Promise<{ links: ReadonlyMap<Bytes, Bytes>; sameLinks: ReadonlySet<Bytes> }> {
  const names = [...source].filter(([, { kind }]) => kind === 'link').map(([name]) => name);
  const there = names.filter((name) => target.get(name)?.kind === 'link');
  const [links, theirs] = await Promise.all([
    readLinks(from, names, signal),
    readLinks(to, there, signal),
  ]);
  const isSame = (name: Bytes): boolean => links.get(name) === theirs.get(name);
  return { links, sameLinks: new Set(there.filter(isSame)) };
}

/** Resolves with the names of the files that have the same content on both sides. */
async function sameFiles(
  sides: Sides,
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<Bytes>> {
  const { from, to, tools, source, target } = sides;
  const names = [...source].flatMap(([name, { kind, sizeBytes }]) => {
    const there = target.get(name);
    const isLikely = kind === 'file' && there?.kind === 'file' && there.sizeBytes === sizeBytes;
    return isLikely ? [name] : [];
  });
  const targetNames = names.map((name) => targetNameOf(sides, name));
  const [ours, theirs] = await Promise.all([
    checksums(from, tools.from, names, signal),
    checksums(to, tools.to, targetNames, signal),
  ]);
  const isSame = (name: Bytes): boolean =>
    ours.has(name) && ours.get(name) === theirs.get(targetNameOf(sides, name));
  return new Set(names.filter(isSame));
}

/** Excluded names are omitted, so that they are not deleted. */
async function extraOf(
  { to, exclude = [], signal }: TransferRequest,
  tree: Tree,
  rules: ExcludeRules,
): Promise<readonly Bytes[]> {
  const { entries } = await listTree(to, { closed: closedNames(exclude), signal });
  const { kept } = withoutExcluded(entries, rules);
  return [...kept.keys()].filter((name) => name !== '.' && !tree.entries.has(name)).reverse();
}

function assertRoom({ to, freeBytes }: Sides, neededBytes: number): void {
  if (Number.isNaN(freeBytes) || neededBytes <= freeBytes) return;
  throw new MachineFailure(
    'no_space',
    `${placeText(to)} has ${formatBytes(freeBytes)} free, but the transfer needs ${formatBytes(neededBytes)}: ` +
      `${formatBytes(neededBytes - freeBytes)} are missing. Nothing was sent. Free space, exclude files, or choose another folder.`,
  );
}
