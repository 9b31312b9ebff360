import { formatBytes } from '../../base/text.ts';
import { MachineFailure } from '../machine.ts';
import { endOf } from './endOf.ts';
import type { End } from './end.ts';
import { bytesOf, placeText, textOf, type Bytes, type Place } from './ends.ts';
import { closedNames, isGitignore, withoutExcluded, type ExcludeRules } from './excludes.ts';
import { folded, pathIn } from './names.ts';
import { planOf, type Plan } from './plan.ts';
import type { Entries, Tools, Tree } from './tree.ts';
import { decidingNames, isIn, repositoriesIn } from './repositories.ts';
import type { TransferRequest } from './transferRequest.ts';
import { nameProblems, withModesOf } from './windowsRules.ts';

/** The two folders of a transfer, and the items in them that are compared. */
interface Sides {
  /** Source. Its path has no links, like that of `to`. */
  readonly from: Place;
  readonly to: Place;
  /**
   * Name of the file in the source folder if a single file is transferred. Everything else is under
   * the name at the destination, which the source does not choose.
   */
  readonly singleSource?: Bytes;
  /** Entries under the names that they get at the destination. */
  readonly source: Entries;
  /** Entries at the destination, and temporary files of earlier attempts. */
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

/** Returns the name in the source folder of an item. */
export const sourceNameOf = ({ singleSource }: Sides, name: Bytes): Bytes => singleSource ?? name;

/**
 * Lists the source and the destination of a transfer, and plans the transfer, without changing
 * anything. Rejects with `MachineFailure` when nothing can be transferred: `missing`, `denied`,
 * `no_space`, or `io` if one side is a file and the other a folder.
 */
export async function surveyed(request: TransferRequest): Promise<Survey> {
  const { from, exclude = [], checksum, signal } = request;
  const tree = await endOf(from.machine).list(from, { closed: closedNames(exclude), signal });
  if (tree.root === 'nothing')
    throw new MachineFailure('missing', `${placeText(from)} does not exist.`);
  const sides = withModes(await (tree.root === 'file' ? fileSides : folderSides)(request, tree));
  const { links, sameLinks } = await linksOf(sides, signal);
  const sameContent = checksum ? await sameFiles(sides, signal) : undefined;
  const { paths } = endOf(sides.to.machine);
  const refusal = (name: Bytes, isFolder: boolean): string | undefined =>
    request.refusal?.(paths.normalize(textOf(pathIn(bytesOf(sides.to.path), name))), isFolder);
  const nameProblem = nameProblems(sides.source, links, sides.tools.to);
  const plan = planOf({ ...sides, links, sameLinks, sameContent, nameProblem, refusal });
  const sizeOf = (entries: Entries, name: Bytes): number => entries.get(name)?.sizeBytes ?? 0;
  const bytes = plan.files.reduce((sum, name) => sum + sizeOf(sides.source, name), 0);
  const replacedBytes = plan.files.reduce((sum, name) => sum + sizeOf(sides.target, name), 0);
  assertRoom(sides, bytes - replacedBytes);
  return { ...sides, links, plan, bytes, complaints: tree.complaints };
}

async function fileSides({ from, to, signal }: TransferRequest, { path }: Tree): Promise<Sides> {
  const [reading, writing] = [endOf(from.machine), endOf(to.machine)];
  const singleSource = bytesOf(reading.paths.basename(path));
  const name = bytesOf(writing.paths.basename(to.path));
  const folderOf = ({ paths }: End, place: Place, file: string): Place => ({
    ...place,
    path: paths.dirname(file),
  });
  const [ours, theirs] = await Promise.all([
    reading.list(folderOf(reading, from, path), { names: [singleSource], signal }),
    writing.list(folderOf(writing, to, to.path), { names: [name], signal }),
  ]);
  if (theirs.entries.get(name)?.kind === 'folder')
    throw new MachineFailure(
      'io',
      `${placeText(to)} is a folder and ${placeText(from)} is a file. Add the file name to the destination.`,
    );
  const entry = ours.entries.get(singleSource);
  if (entry?.kind !== 'file')
    throw new MachineFailure(
      'io',
      `${placeText(from)} is no longer a file. Nothing was sent; look at it and call again.`,
    );
  return {
    ...placesOf({ from, to }, ours, theirs),
    singleSource,
    source: new Map([[name, entry]]),
    target: theirs.entries,
    excluded: [],
    extra: [],
  };
}

async function folderSides(request: TransferRequest, tree: Tree): Promise<Sides> {
  const { from, to, signal } = request;
  const rules = await rulesOf(request, tree);
  const { kept, excluded } = withoutExcluded(tree.entries, rules);
  const names = new Set([...kept.keys(), ...decidingNames(kept)]);
  const theirs = await endOf(to.machine).list(to, { names: [...names], signal });
  if (theirs.root === 'file')
    throw new MachineFailure(
      'io',
      `${placeText(to)} is a file and ${placeText(from)} is a folder. Choose another destination.`,
    );
  const repositories = repositoriesIn(kept, theirs.entries);
  if (repositories.has('.')) throw isRepository(from, to);
  const extra = request.delete ? await extraOf(request, tree, rules) : [];
  return {
    ...placesOf({ from, to }, tree, theirs),
    source: new Map([...kept].filter(([name]) => !isIn(repositories, name))),
    target: theirs.entries,
    excluded: [...excluded, ...[...repositories].filter((name) => kept.has(name))],
    extra: extra.filter((name) => !isIn(repositories, name)),
  };
}

/** Adapts the modes where one side has none: modes at the destination then remain. */
function withModes(sides: Sides): Sides {
  const { source, target, tools } = sides;
  if (tools.from.system === 'windows') return { ...sides, source: withModesOf(target, source) };
  if (tools.to.system === 'windows') return { ...sides, target: withModesOf(source, target) };
  return sides;
}

const isRepository = (from: Place, to: Place): MachineFailure =>
  new MachineFailure(
    'denied',
    `${placeText(from)} or ${placeText(to)} is a Git repository, by its HEAD, objects and refs. Repositories are not sent: send the files of a checkout, to another folder.`,
  );

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
  return {
    patterns: exclude,
    gitignores: await endOf(from.machine).readTexts(from, files, signal),
  };
}

async function linksOf(
  { from, to, source, target }: Sides,
  signal: AbortSignal | undefined,
): Promise<{ links: ReadonlyMap<Bytes, Bytes>; sameLinks: ReadonlySet<Bytes> }> {
  const names = [...source].filter(([, { kind }]) => kind === 'link').map(([name]) => name);
  const there = names.filter((name) => target.get(name)?.kind === 'link');
  const [links, theirs] = await Promise.all([
    endOf(from.machine).readLinks(from, names, signal),
    endOf(to.machine).readLinks(to, there, signal),
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
  const sourceNames = names.map((name) => sourceNameOf(sides, name));
  const [ours, theirs] = await Promise.all([
    endOf(from.machine).checksums(from, tools.from, sourceNames, signal),
    endOf(to.machine).checksums(to, tools.to, names, signal),
  ]);
  const isSame = (name: Bytes): boolean =>
    theirs.has(name) && theirs.get(name) === ours.get(sourceNameOf(sides, name));
  return new Set(names.filter(isSame));
}

/**
 * Resolves with the names that exist only at the destination, content before its folder. Omits
 * excluded names, so that they are not deleted.
 */
async function extraOf(
  { to, exclude = [], signal }: TransferRequest,
  tree: Tree,
  rules: ExcludeRules,
): Promise<readonly Bytes[]> {
  const closed = closedNames(exclude);
  const { entries, tools } = await endOf(to.machine).list(to, { closed, signal });
  const { kept } = withoutExcluded(entries, rules);
  const formOf = tools.foldsNames ? folded : (name: Bytes): Bytes => name;
  const sourceNames = new Set([...tree.entries.keys()].map(formOf));
  return [...kept.keys()].filter((name) => !sourceNames.has(formOf(name))).reverse();
}

function assertRoom({ to, freeBytes }: Sides, neededBytes: number): void {
  if (Number.isNaN(freeBytes) || neededBytes <= freeBytes) return;
  throw new MachineFailure(
    'no_space',
    `${placeText(to)} has ${formatBytes(freeBytes)} free, but the transfer needs ${formatBytes(neededBytes)}: ` +
      `${formatBytes(neededBytes - freeBytes)} are missing. Nothing was sent. Free space, exclude files, or choose another folder.`,
  );
}
