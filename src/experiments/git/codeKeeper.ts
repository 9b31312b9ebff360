/**
 * Keeps what the code was: the tree of all that stands in a work tree, with what is not committed, as a commit below a
 * ref of ours. Of the person's repository nothing changes but that its object store grows: not the index, not a branch,
 * the stash, a reflog or a setting; and no program of theirs (hook, filter, watcher) is started.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { SessionId } from '../../base/ids.ts';
import type { Machine } from '../../machines/machine.ts';
import type { CodeState } from '../experiment.ts';
import { GitFailure, heliosFolder, runGit, scriptStart } from './gitScript.ts';
import { intakeOf, toInspect, type Intake } from './intake.ts';
import { defaultLimits, namedLeftOut, type LeaveOutLimits } from './leaveOut.ts';
import { inspect, survey, type GitPlace, type HeadEntry, type Survey } from './survey.ts';

export interface CodeKeeperDeps {
  readonly sessionId: SessionId;
  readonly clock: Clock;
  /** Read anew each time. Default: 10 MB a file. */
  limits?(): LeaveOutLimits;
  /** For all of one capture. Default 20 s. */
  readonly timeoutMs?: number;
}

const captureMs = 20_000;

export class CodeKeeper {
  readonly #deps: CodeKeeperDeps;

  constructor(deps: CodeKeeperDeps) {
    this.#deps = deps;
  }

  /**
   * `name` is `e7`, or other letters, digits, dashes; kept under it again, the newer state replaces the older. Bounded in
   * time. Never rejects: what is not known is `none`, with the reason.
   */
  async capture(machine: Machine, folder: string, name: string): Promise<CodeState> {
    const { clock, sessionId, timeoutMs = captureMs } = this.#deps;
    const endMs = clock.now() + timeoutMs;
    try {
      const kept = await capture({
        ...{ machine, folder, clock, ref: refOf(sessionId, name), message: `Code of ${name}` },
        limits: this.#deps.limits?.() ?? defaultLimits,
        leftMs: () => Math.max(1, endMs - clock.now()),
      });
      const { top, head, tree, headTree, commit, leftOut } = kept;
      return {
        ...{ kind: 'git', repo: top, tree, isDirty: tree !== headTree, leftOut: namedLeftOut(leftOut) },
        ...(head !== undefined && { head }),
        ...(commit !== undefined && { commit }),
      };
    } catch (error) {
      return { kind: 'none', why: messageOf(error) };
    }
  }
}

/** The ref under which something of a session is kept. Throws `GitFailure` for a name that is none. */
export function refOf(sessionId: SessionId, name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$/.test(name)) return `refs/helios/${sessionId}/${name}`;
  throw new GitFailure('missing', `${JSON.stringify(name)} is no name: letters, digits and dashes.`);
}

export interface Capture {
  readonly machine: Machine;
  readonly folder: string;
  readonly clock: Clock;
  /** Where the commit is kept. */
  readonly ref: string;
  /** Its parent; absent: the commit that is checked out. */
  readonly parent?: string;
  readonly message: string;
  readonly limits: LeaveOutLimits;
  leftMs(): number;
  readonly signal?: AbortSignal;
}

export interface Captured {
  /** The top folder of the work tree, absolute. */
  readonly top: string;
  readonly head?: string;
  readonly tree: string;
  /** Of `head`; the empty tree where there is none. */
  readonly headTree: string;
  /** Absent: the repository cannot be written. */
  readonly commit?: string;
  readonly leftOut: ReadonlyMap<string, string>;
}

/** Rejects with `GitFailure`. */
export async function capture(asked: Capture): Promise<Captured> {
  await asked.machine.ready?.();
  const place = (): GitPlace => ({ ...asked, timeoutMs: asked.leftMs() });
  const surveyed = await survey(place());
  const seen = await inspect({ ...place(), folder: surveyed.top }, toInspect(surveyed), asked.limits.maxFileBytes);
  const intake = intakeOf(surveyed, seen, asked.limits);
  const { top, head } = surveyed;
  const kept = await keep(asked, surveyed, intake);
  return { top, ...(head !== undefined && { head }), ...kept, leftOut: intake.leftOut };
}

const keepScript = String.raw`${scriptStart}
ref=$3 message=$4 parent=$5
enter "$1"
own_dir "$2" "$6"
cat >"$own/in"
cp -p -- "$git_dir/index" "$own/index" 2>/dev/null
find "$git_dir" -maxdepth 1 -name 'sharedindex.*' -exec cp -p -- {} "$own/" \; 2>/dev/null
# The lines of kind $1, as git reads names.
names() { sed -n "s/^$1//p" "$own/in" | tr '\n\001' '\0\n'; }
names V | p update-index -z --no-assume-unchanged --stdin || exit 1
names V | p update-index -z --no-skip-worktree --stdin || exit 1
names A | p update-index -z --add --remove --replace --stdin || exit 1
names H | p update-index -z --replace --index-info || exit 1
tree=$(p write-tree --missing-ok) || exit 1
head_tree=$empty
[ -z "$head" ] || head_tree=$(g rev-parse "$head^{tree}") || exit 1
printf '%s\0%s\0' "$tree" "$head_tree"
[ "$objects" = "$common/objects" ] || exit 0
: "${'$'}{parent:=$head}"
commit=$(p commit-tree "$tree" ${'$'}{parent:+-p "$parent"} -m "$message") &&
  g update-ref -m helios "$ref" "$commit" || exit 1
printf '%s\0' "$commit"
`;

async function keep(
  { ref, message, parent = '', ...asked }: Capture,
  { top, unwatched, staged, emptyTree }: Survey,
  { asTheyStand, leftOut }: Intake,
): Promise<Pick<Captured, 'tree' | 'headTree' | 'commit'>> {
  const nothing: HeadEntry = { mode: '0', hash: '0'.repeat(emptyTree.length) };
  // What is left out and not staged is in the index as it is in the commit, or not at all.
  const asInHead = [...staged].filter(([name]) => leftOut.has(name));
  const lines = [
    ...unwatched.map((name) => `V${name}`),
    ...asTheyStand.map((name) => `A${name}`),
    ...asInHead.map(([name, { mode, hash } = nothing]) => `H${mode} ${hash}\t${name}`),
  ];
  const text = await runGit({
    ...asked,
    timeoutMs: asked.leftMs(),
    script: keepScript,
    args: [top, heliosFolder(asked.machine), ref, message, parent, randomBytes(9).toString('hex')],
    stdin: Buffer.from(lines.map((line) => `${line.replaceAll('\n', '\u0001')}\n`).join(''), 'latin1'),
  });
  const [tree = '', headTree = '', commit] = text.split('\0');
  return { tree, headTree, ...(commit && { commit }) };
}
