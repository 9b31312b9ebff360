/** What is different between two states of the code. */
import type { Clock } from '../../base/clock.ts';
import { runGit, scriptStart } from './gitScript.ts';
import type { RepoPlace } from './worktrees.ts';

export interface CodeDiff {
  readonly commitA: string;
  readonly commitB: string;
  readonly isEqual: boolean;
  /** Files and numbers of lines, bounded. */
  readonly stat: string;
  /** The beginning of the patch. */
  readonly patch: string;
  /** Of the whole patch. */
  readonly patchBytes: number;
}

const statBytes = 6_000;

const script = String.raw`${scriptStart}
enter_repo "$1"
a=$(g rev-parse -q --verify "$2^{commit}") && b=$(g rev-parse -q --verify "$3^{commit}") || exit 85
printf '%s\0%s\0' "$a" "$b"
d() { g diff --no-ext-diff --no-textconv --ignore-submodules=dirty "$@" "$a" "$b" --; }
if d --quiet; then exit 0; fi
d --stat=100 --stat-count=60 | head -c "$4"
printf '\0'
d | head -c "$5"
printf '\0'
d | wc -c
`;

/** `a` and `b`: revisions as `Worktrees.resolve` gives them. Rejects with `GitFailure`. */
export async function codeDiff(
  { machine, folder, signal }: RepoPlace,
  asked: { readonly a: string; readonly b: string; readonly maxBytes: number; readonly clock: Clock },
): Promise<CodeDiff> {
  const { a, b, maxBytes, clock } = asked;
  const args = [folder, a, b, String(statBytes), String(maxBytes)];
  const output = await runGit({ machine, script, args, clock, timeoutMs: 60_000, ...(signal && { signal }) });
  const [commitA = '', commitB = '', stat = '', patch = '', bytes] = output.split('\0');
  const text = (bytesOf: string): string => Buffer.from(bytesOf, 'latin1').toString('utf8');
  return { commitA, commitB, isEqual: !bytes, stat: text(stat), patch: text(patch), patchBytes: Number(bytes ?? 0) };
}
