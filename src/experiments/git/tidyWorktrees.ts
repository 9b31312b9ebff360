/** Takes the work trees of a session away when they are not needed any more. */
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { SessionId } from '../../base/ids.ts';
import type { Machine } from '../../machines/machine.ts';
import { refOf } from './codeKeeper.ts';
import { runGit, scriptStart } from './gitScript.ts';
import { survey } from './survey.ts';
import { worktreesFolder } from './worktrees.ts';

export interface TidyRequest {
  readonly machine: Machine;
  /** Ended. */
  readonly sessionId: SessionId;
  readonly clock: Clock;
  /** The kept code goes as well: the session itself is being removed. Default: it stays. */
  readonly dropsRefs?: boolean;
}

export interface TidyReport {
  /** Absolute, on the machine. */
  readonly removed: readonly string[];
  /** Those that stay, and why. */
  readonly kept: readonly { readonly path: string; readonly why: string }[];
}

const stepMs = 120_000;

const foldersScript = 'find "$1" -mindepth 1 -maxdepth 1 -type d -print0 2>/dev/null || :';

const removeScript = String.raw`${scriptStart}
enter "$1"
case $git_dir in "$common"/worktrees/?*) ;; *) exit 83 ;; esac
[ -e "$git_dir/helios" ] || { echo 'it is no work tree of ours' >&2; exit 83; }
if [ -n "$2" ]; then
  g for-each-ref --format='delete %(refname)' "$2" | g update-ref --no-deref --stdin || exit 1
fi
# Whose it was is kept for as long as its ref is.
cd / && rm -rf -- "$top" && rm -rf -- "$git_dir" && { [ -z "$2" ] || rm -f -- "$top.repo"; }
`;

/** One with changes that its ref does not hold stays. Rejects with `GitFailure` where the machine cannot be asked. */
export async function tidyWorktrees(request: TidyRequest): Promise<TidyReport> {
  const { machine, sessionId, clock } = request;
  await machine.ready?.();
  const args = [worktreesFolder(machine, sessionId)];
  const listed = await runGit({ machine, script: foldersScript, args, clock, timeoutMs: stepMs });
  const removed: string[] = [];
  const kept: { path: string; why: string }[] = [];
  for (const name of listed.split('\0').filter(Boolean)) {
    const path = Buffer.from(name, 'latin1').toString('utf8');
    const why = await remove(request, path).catch(messageOf);
    if (why === undefined) removed.push(path);
    else kept.push({ path, why });
  }
  return { removed, kept };
}

/** Why it stays; `undefined`: it is gone. */
async function remove(
  { machine, sessionId, clock, dropsRefs }: TidyRequest,
  folder: string,
): Promise<string | undefined> {
  const ref = refOf(sessionId, folder.slice(folder.lastIndexOf('/') + 1));
  const { fresh, nested, changed, unwatched, staged } = await survey({
    machine,
    folder,
    base: ref,
    clock,
    timeoutMs: stepMs,
  });
  const count = new Set([...fresh, ...nested, ...changed, ...unwatched, ...staged.keys()]).size;
  if (count > 0) return `${count} file${count === 1 ? ' is' : 's are'} not committed there`;
  const refs = dropsRefs === true ? `refs/helios/${sessionId}/` : '';
  await runGit({ machine, script: removeScript, args: [folder, refs], clock, timeoutMs: stepMs });
  return undefined;
}
