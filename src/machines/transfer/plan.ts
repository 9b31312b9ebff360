/** Plans what to change so that the destination equals the source. Changes nothing. */
import { textOf, type Bytes } from './ends.ts';
import { leavesFolder, parentOf } from './names.ts';
import { isSameTime, type Entries, type Entry } from './tree.ts';

export interface Plan {
  /** Files that are missing, or that differ in size or time. */
  readonly files: readonly Bytes[];
  readonly links: readonly Bytes[];
  /** Missing folders, parents first. */
  readonly folders: readonly Bytes[];
  /** Files with equal content but different permission bits. */
  readonly modes: readonly Bytes[];
  /** Number of files and links that need no change. */
  readonly same: number;
  readonly problems: readonly Problem[];
  /** Items that may not be written. An item below one of them is not listed. */
  readonly refused: readonly Problem[];
}

export interface Problem {
  readonly name: Bytes;
  readonly why: string;
}

export interface Compared {
  readonly source: Entries;
  readonly target: Entries;
  /** Targets of the links of the source. */
  readonly links: ReadonlyMap<Bytes, Bytes>;
  /** Links with the same target on both sides. */
  readonly sameLinks: ReadonlySet<Bytes>;
  /**
   * Files whose content was compared and is equal. Absent if files are compared by size and time.
   */
  readonly sameContent?: ReadonlySet<Bytes> | undefined;
  /** Returns why the destination cannot have an item; `undefined` if it can. */
  nameProblem(name: Bytes): string | undefined;
  /** Returns why an item may not be written; `undefined` if it may. */
  refusal(name: Bytes, isFolder: boolean): string | undefined;
}

type Step = 'send' | 'same' | 'mode' | { readonly problem: string } | { readonly refusal: string };

export function planOf(compared: Compared): Plan {
  const plan = {
    files: [] as Bytes[],
    links: [] as Bytes[],
    folders: [] as Bytes[],
    modes: [] as Bytes[],
  };
  const problems: Problem[] = [];
  const refused: Problem[] = [];
  const blocked = new Set<Bytes>();
  let same = 0;
  const lists = { file: plan.files, link: plan.links, folder: plan.folders };
  for (const [name, entry] of compared.source) {
    if (blocked.has(parentOf(name)) && name !== '.') {
      blocked.add(name);
      continue;
    }
    const step = allowed(stepFor(name, entry, compared), name, compared);
    if (typeof step === 'object') {
      if ('problem' in step) problems.push({ name, why: step.problem });
      else refused.push({ name, why: step.refusal });
      blocked.add(name);
    } else if (step === 'same') same += entry.kind === 'folder' ? 0 : 1;
    else if (step === 'mode') plan.modes.push(name);
    else if (entry.kind !== 'other') lists[entry.kind].push(name);
  }
  return { ...plan, same, problems, refused };
}

/** Returns the step; if the user's rules forbid the write, returns the refusal. */
function allowed(step: Step, name: Bytes, { source, refusal }: Compared): Step {
  if (step !== 'send' && step !== 'mode') return step;
  const why = refusal(name, source.get(name)?.kind === 'folder');
  return why === undefined ? step : { refusal: why };
}

function stepFor(name: Bytes, entry: Entry, compared: Compared): Step {
  const there = compared.target.get(name);
  if (entry.kind === 'other') return { problem: 'it is not a file, folder or link' };
  const problem = compared.nameProblem(name);
  if (problem !== undefined) return { problem };
  if (entry.kind === 'link' && !compared.sameLinks.has(name)) {
    const why = linkProblem(name, compared.links.get(name));
    if (why !== undefined) return { problem: why };
  }
  return there === undefined ? 'send' : stepOver(name, entry, there, compared);
}

/** Returns the problem with a link whose target is not in the sent folder. */
function linkProblem(name: Bytes, target = ''): string | undefined {
  if (target === '') return 'it is a link whose target cannot be read';
  return leavesFolder(name, target)
    ? `it is a link out of the folder, to ${textOf(target)}, and was not created`
    : undefined;
}

/** Returns the step for an item whose name already exists at the destination. */
function stepOver(
  name: Bytes,
  entry: Entry,
  there: Entry,
  { sameLinks, sameContent }: Compared,
): Step {
  if (there.kind === 'folder')
    return entry.kind === 'folder' ? 'same' : { problem: 'its destination is a folder' };
  // A folder never replaces a file or a link, and its content is never written through a link.
  if (entry.kind === 'folder')
    return {
      problem: `its destination is a ${there.kind === 'link' ? 'link' : 'file'}, which was not replaced`,
    };
  if (there.kind === 'other')
    return { problem: 'its destination is not a file, folder or link, and was not replaced' };
  if (entry.kind === 'link') return sameLinks.has(name) ? 'same' : 'send';
  if (there.kind === 'link' || there.sizeBytes !== entry.sizeBytes) return 'send';
  const isSame = sameContent ? sameContent.has(name) : isSameTime(there.modified, entry.modified);
  if (!isSame) return 'send';
  return plainMode(there.mode) === plainMode(entry.mode) ? 'same' : 'mode';
}

/**
 * Removes the setuid and setgid bits, because the receiving user owns the copy: a setuid program
 * would run with the rights of that user.
 */
export const plainMode = (mode: number): number => mode & 0o1777;
