/** Scripts that ask git on a machine: how they are run, and what they begin with. No word of theirs is built from input. */
import { posix } from 'node:path';
import { delay, type Clock } from '../../base/clock.ts';
import { HeliosError, messageOf } from '../../base/errors.ts';
import { oneLine, shellQuote } from '../../base/text.ts';
import type { Machine, StreamResult } from '../../machines/machine.ts';

export type GitFailureReason =
  | 'no_git'
  | 'no_folder'
  | 'no_repository'
  | 'ignored'
  | 'bare'
  | 'missing'
  | 'exists'
  | 'beside'
  | 'name'
  | 'timeout'
  | 'unreachable'
  | 'git';

/** `message` says what is wrong in whole sentences, for people and models. */
export class GitFailure extends HeliosError {
  readonly reason: GitFailureReason;

  constructor(reason: GitFailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** The folder of Helios on a machine. */
export const heliosFolder = ({ runsFolder }: Machine): string => posix.dirname(runsFolder);

export interface GitCall {
  readonly machine: Machine;
  /** POSIX sh. Its arguments are `$1` …; what follows `scriptStart` may use what that defines. */
  readonly script: string;
  readonly args: readonly string[];
  readonly stdin?: Uint8Array;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

const mostOutputBytes = 256 * 1024 * 1024;

/** What the script printed, byte for byte as latin1. Rejects with `GitFailure`. */
export async function runGit(call: GitCall): Promise<string> {
  const { machine, clock, timeoutMs, signal } = call;
  const over = new AbortController();
  const late = new AbortController();
  void delay(clock, timeoutMs, over.signal).then(
    () => late.abort(),
    () => undefined,
  );
  const output = new Output();
  try {
    const result = await machine.stream(commandOf(call), {
      cwd: '/',
      signal: signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]),
      onStdout: (bytes) => output.take(bytes),
      ...(call.stdin !== undefined && { stdin: once(call.stdin) }),
    });
    if (late.signal.aborted) throw tooSlow(machine, timeoutMs);
    return checked(machine, result, output.text());
  } catch (error) {
    if (error instanceof GitFailure) throw error;
    if (late.signal.aborted) throw tooSlow(machine, timeoutMs);
    throw new GitFailure('unreachable', messageOf(error), { cause: error });
  } finally {
    over.abort();
  }
}

const commandOf = ({ script, args }: GitCall): string =>
  `exec /bin/sh -c ${shellQuote(script)} helios ${args.map(shellQuote).join(' ')}`;

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  await Promise.resolve();
  yield bytes;
}

const tooSlow = ({ id }: Machine, timeoutMs: number): GitFailure =>
  new GitFailure('timeout', `git on ${id} did not come to an end within ${timeoutMs / 1000} s.`);

class Output {
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;

  take(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    if (this.#bytes > mostOutputBytes) throw new GitFailure('git', 'git printed more than can be taken.');
    this.#chunks.push(Uint8Array.from(bytes));
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('latin1');
  }
}

/** The exit codes of `scriptStart`. */
const refusals: Readonly<Record<number, readonly [GitFailureReason, string]>> = {
  81: ['no_git', 'There is no git on this machine, or it is older than 2.17.'],
  82: ['no_folder', 'There is no such folder.'],
  83: ['no_repository', 'The folder is in no git repository.'],
  84: ['bare', 'The repository is bare: it has no work tree.'],
  85: ['missing', 'There is no such experiment or revision.'],
  86: ['exists', 'It exists already.'],
  87: ['name', 'The name cannot be used.'],
  88: ['ignored', 'The repository around the folder ignores it: what is in it is no code of that repository.'],
  89: ['beside', 'There is a branch whose name is a part of it, or the other way round.'],
};

function checked(machine: Machine, { outcome, stderr }: StreamResult, text: string): string {
  if (outcome.kind === 'exited' && outcome.code === 0) return text;
  const [reason, what] = (outcome.kind === 'exited' ? refusals[outcome.code] : undefined) ?? [
    'git' as const,
    undefined,
  ];
  const said = oneLine(stderr.replace(/^(?:fatal|error): /gm, ''), 400);
  if (what !== undefined) throw new GitFailure(reason, said === '' ? what : `${what} (${said})`);
  throw new GitFailure(reason, `git on ${machine.id} failed: ${said || outcome.kind}`);
}

/**
 * What all scripts begin with. No variable of ours or of the person's redirects git; none of its hooks, filters, watchers
 * or cleaners is started, and nothing is fetched. `g` is git in the repository of the current folder; `enter` goes to the
 * top of its work tree; `own_dir` makes the git folder `$own` of our own, `p` is git with that in place of the person's.
 */
export const scriptStart = String.raw`
set -f
unset $(env | sed -n 's/^\(GIT_[A-Za-z0-9_]*\)=.*/\1/p' |
  grep -v -e '^GIT_CONFIG_GLOBAL$' -e '^GIT_CONFIG_SYSTEM$' -e '^GIT_CONFIG_NOSYSTEM$') HELIOS_NONE
LC_ALL=C GIT_OPTIONAL_LOCKS=0 GIT_TERMINAL_PROMPT=0 GIT_NO_REPLACE_OBJECTS=1 GIT_NO_LAZY_FETCH=1
GIT_AUTHOR_NAME=Helios GIT_AUTHOR_EMAIL=helios@localhost GIT_COMMITTER_NAME=Helios GIT_COMMITTER_EMAIL=helios@localhost
export LC_ALL GIT_OPTIONAL_LOCKS GIT_TERMINAL_PROMPT GIT_NO_REPLACE_OBJECTS GIT_NO_LAZY_FETCH
export GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL

g() {
  git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c core.untrackedCache=false -c core.quotePath=false \
    -c core.logAllRefUpdates=false -c core.safecrlf=false -c core.splitIndex=false -c gc.auto=0 \
    -c maintenance.auto=false -c commit.gpgSign=false -c submodule.recurse=false -c core.preloadIndex=true \
    -c diff.external= -c color.ui=false "$@"
}

# Goes to the top of the work tree that folder $1 is in; $prefix leads back. $head: what $2 names, else the commit that is
# checked out.
enter() {
  cd -- "$1" 2>/dev/null || { printf '%s\n' "$1" >&2; exit 82; }
  command -v git >/dev/null || exit 81
  base=${'$'}{2:-HEAD}
  set -- $(g rev-parse --is-bare-repository --is-inside-work-tree) || exit 83
  [ $# -eq 2 ] || exit 83
  [ "$2" = true ] || exit 84
  prefix=$(g rev-parse --show-prefix)
  top=$(g rev-parse --show-toplevel) && cd -- "$top" || exit 84
  git_dir=$(g rev-parse --absolute-git-dir) || exit 81
  common=$(cd -- "$(g rev-parse --git-common-dir)" && pwd -P) || exit 83
  empty=$(g hash-object -t tree /dev/null) || exit 83
  head=$(g rev-parse -q --verify "$base^{commit}") || head=
}

# The same, in the person's repository where $1 is, or was, a work tree of ours.
enter_repo() {
  [ -e "$1" ] || ! [ -e "$1.repo" ] || set -- "$(cat -- "$1.repo")"
  enter "$1"
  [ ! -e "$git_dir/helios" ] || enter "$(cat -- "$top.repo")"
}

# A folder of our own for as long as this takes: $own. Helios home $1; unique name $2.
own_folder() {
  for base in "$1/tmp" "${'$'}{TMPDIR:-/tmp}"; do
    own=$base/git.$2
    mkdir -p -- "$base" 2>/dev/null && mkdir -m 700 -- "$own" 2>/dev/null && break
    own=
  done
  [ -n "$own" ] || { echo 'there is no place for temporary files' >&2; exit 1; }
  trap 'rm -rf -- "$own"' EXIT
  trap 'exit 1' HUP INT TERM PIPE
  # Of those who were cut off.
  find "$base" -maxdepth 1 -name 'git.*' -mtime +1 -exec rm -rf -- {} + 2>/dev/null
}

# With what makes it a git folder, which knows the objects of the repository and nothing of its settings.
own_dir() {
  own_folder "$@"
  mkdir "$own/refs" "$own/info" "$own/objects"
  echo 'ref: refs/heads/none' >"$own/HEAD"
  cat "$common/info/exclude" >"$own/info/exclude" 2>/dev/null
  { cat "$common/info/attributes"; echo; echo '* -filter'; } >"$own/info/attributes" 2>/dev/null
  {
    if [ ${'$'}{#empty} -gt 40 ]; then printf '[extensions]\n\tobjectFormat = sha256\n'; fi
    printf '[core]\n\trepositoryFormatVersion = %s\n\tbare = false\n' "$((${'$'}{#empty} > 40))"
    g config --get-regexp '^core\.(filemode|ignorecase|symlinks|autocrlf|eol|precomposeunicode|checkstat|trustctime|sharedrepository)$' |
      sed 's/^core\.\([a-z]*\)/\1 =/; s/=$/= true/'
  } >"$own/config"
  objects=$common/objects
  # What cannot be kept can still be told.
  if ! [ -w "$objects" ]; then
    GIT_ALTERNATE_OBJECT_DIRECTORIES=$objects objects=$own/objects
    export GIT_ALTERNATE_OBJECT_DIRECTORIES
  fi
}

# A copy of the index, as old as it is: what was changed in the moment when it was written is looked at anew.
own_index() {
  cp -p -- "$git_dir/index" "$own/index" 2>/dev/null
  find "$git_dir" -maxdepth 1 -name 'sharedindex.*' -exec cp -p -- {} "$own/" \; 2>/dev/null
}

p() {
  GIT_DIR=$own GIT_WORK_TREE=${'$'}{tree_at:-$top} GIT_INDEX_FILE=${'$'}{index:-$own/index} GIT_OBJECT_DIRECTORY=$objects g "$@"
}
`;
