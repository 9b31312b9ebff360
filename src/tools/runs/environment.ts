/**
 * The environment of a run: Python and packages, GPUs, system, disk, state of the code. A single
 * script collects all of these.
 */
import { cleanText, oneLine, shellQuote } from '../../base/text.ts';
import { readGitStart } from '../../experiments/git/readGit.ts';

export interface GitState {
  readonly head: string;
  /** Name of the branch; omitted if HEAD is detached. */
  readonly branch?: string;
  /** Lines of `git status --porcelain`, without untracked files. */
  readonly changed: readonly string[];
  readonly untracked: readonly string[];
  /** URLs of the remotes, without passwords and tokens. */
  readonly remotes: readonly string[];
}

/** The environment of a run. Fields that could not be determined are omitted. */
export interface Environment {
  readonly python?: string;
  /**
   * Lines of `pip freeze`, including editable packages and packages from URLs. Passwords and tokens
   * are removed.
   */
  readonly packages: readonly string[];
  readonly conda: readonly string[];
  /**
   * A line per GPU with index, name, driver and memory: `0, NVIDIA H100, 550.54.15, 81559 MiB`.
   */
  readonly gpus: readonly string[];
  readonly cuda?: string;
  readonly os?: string;
  readonly cpu?: string;
  readonly memory?: string;
  readonly disk?: string;
  readonly git?: GitState;
}

export interface EnvironmentQuestion {
  /** Absolute path of the folder with the code. */
  readonly repo: string;
  /** Absolute path of the Python interpreter. If omitted, no interpreter is started. */
  readonly python?: string | undefined;
  /** Absolute path of git. If omitted, the state of the code is not read. */
  readonly git?: string | undefined;
  /**
   * Prefix of the lines that the script of Helios prints, which distinguishes them from the output
   * of programs.
   */
  readonly mark: string;
}

const probeSeconds = 20;
/** Maximum output of one probe, in bytes. */
const probeBytes = 200_000;
const maxLines = 2_000;

const pythonProbes: Readonly<Record<string, string>> = {
  python: `"$py" -c 'import sys; print(sys.version.split()[0], sys.executable)'`,
  packages: `"$py" -m pip freeze --disable-pip-version-check || uv pip freeze --python "$py" || "$py" -c 'import importlib.metadata as m
for d in m.distributions(): print(d.metadata["Name"] + "==" + d.version)'`,
};

const systemProbes: Readonly<Record<string, string>> = {
  conda: `if [ -n "$CONDA_PREFIX" ]; then "\${CONDA_EXE:-conda}" list -p "$CONDA_PREFIX" --export; fi`,
  gpus: `nvidia-smi --query-gpu=index,name,driver_version,memory.total --format=csv,noheader || rocm-smi --showproductname --showdriverversion --csv`,
  cuda: `nvcc --version | sed -n 's/.*release \\([0-9.]*\\).*/\\1/p'`,
  os: `uname -srm; sed -n 's/^PRETTY_NAME="\\(.*\\)"/\\1/p' /etc/os-release || sw_vers -productVersion`,
  cpu: `{ sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1 | grep .; } || sysctl -n machdep.cpu.brand_string; getconf _NPROCESSORS_ONLN`,
  memory: `sed -n 's/^MemTotal: *//p' /proc/meminfo || sysctl -n hw.memsize`,
  disk: `df -Pk -- "$repo" | tail -n 1`,
};

const gitProbe = (words: string): string => `eval "$git_start"; cd -- "$repo" && read_git ${words}`;

const gitProbes: Readonly<Record<string, string>> = {
  head: gitProbe('rev-parse HEAD'),
  branch: gitProbe('symbolic-ref --short HEAD'),
  remotes: gitProbe('remote -v'),
  status: gitProbe('status --porcelain'),
};

/**
 * Returns the script that collects the environment. Its probes are independent: one that fails,
 * hangs or prints too much does not affect the others. They do not start in the folder of the code,
 * because Python would import its files as modules.
 */
export function environmentScript({ repo, python, git, mark }: EnvironmentQuestion): string {
  const probes = {
    ...(python === undefined ? {} : pythonProbes),
    ...systemProbes,
    ...(git === undefined ? {} : gitProbes),
  };
  const steps = Object.entries(probes).map(
    ([name, command]) => `printf '\\n%s %s\\n' ${mark} ${name}; probe ${shellQuote(command)}`,
  );
  return `repo=${shellQuote(repo)} py=${shellQuote(python ?? '')}
git_start=${shellQuote(git === undefined ? '' : readGitStart(git))}
export repo py git_start
cd -- "$repo" && cd / || exit 1
probe() {
  if command -v timeout >/dev/null 2>&1; then timeout ${probeSeconds} sh -c "$1"; else sh -c "$1"; fi </dev/null 2>/dev/null | head -c ${probeBytes}
}
${steps.join('\n')}
exit 0
`;
}

export function parseEnvironment(output: string, mark: string): Environment {
  const answers = new Map(
    cleanText(output)
      .split(`\n${mark} `)
      .slice(1)
      .map((part) => {
        const end = part.indexOf('\n');
        return [part.slice(0, end), part.slice(end + 1).trimEnd()] as const;
      }),
  );
  const lines = (name: string): string[] =>
    (answers.get(name) ?? '')
      .split('\n')
      .filter((line) => line.trim() !== '')
      .slice(0, maxLines)
      .map(withoutSecrets);
  const text = (name: string, key = name): Record<string, string> => {
    const found = oneLine(lines(name).join(' · '), 300);
    return found === '' ? {} : { [key]: found };
  };
  const git = gitOf(lines);
  return {
    ...text('python'),
    packages: lines('packages').filter((line) => !line.startsWith('#')),
    conda: lines('conda').filter((line) => !line.startsWith('#')),
    // A broken driver prints an error instead of the list: drop lines in another format.
    gpus: lines('gpus').filter((line) => /^(?:\d+|card\d+),/.test(line)),
    ...text('cuda'),
    ...text('os'),
    ...text('cpu'),
    ...text('memory'),
    ...text('disk'),
    ...(git && { git }),
  };
}

function gitOf(lines: (name: string) => string[]): GitState | undefined {
  const [head] = lines('head');
  if (head === undefined) return undefined;
  const [branch] = lines('branch');
  const status = lines('status');
  return {
    head,
    ...(branch !== undefined && { branch }),
    changed: status.filter((line) => !line.startsWith('??')),
    untracked: status.filter((line) => line.startsWith('??')).map((line) => line.slice(3)),
    remotes: [...new Set(lines('remotes').map((line) => line.replace(/ \((fetch|push)\)$/, '')))],
  };
}

const tokens = /\b(?:gh[pousr]_|github_pat_|glpat-|hf_|pypi-|sk-|xox[abprs]-|AKIA)[\w-]{8,}/g;

/** Removes passwords from URLs, and tokens of known formats. */
const withoutSecrets = (line: string): string =>
  line
    .replace(/\b([a-z][a-z0-9+.-]{0,20}:\/\/)(?!git@)[^\s/@:]*(?::[^\s/@]*)?@/gi, '$1***@')
    .replace(/([?&](?:token|access_token|key|password|auth)=)[^&#\s]+/gi, '$1***')
    .replace(tokens, '***');

/** Returns the differences between `before` and `now`, one per line; empty if there are none. */
export function changesBetween(before: Environment, now: Environment): string[] {
  const single = (['python', 'cuda', 'os', 'cpu', 'memory'] as const).flatMap((key) =>
    before[key] === now[key] ? [] : [`${key}: ${before[key] ?? 'none'} → ${now[key] ?? 'none'}`],
  );
  const head =
    before.git?.head === now.git?.head ? [] : [`commit: ${shortHead(before)} → ${shortHead(now)}`];
  return [
    ...single,
    ...head,
    ...listChanges('package', before.packages, now.packages),
    ...listChanges('conda package', before.conda, now.conda),
    ...listChanges('gpu', before.gpus, now.gpus),
    ...listChanges('changed file', before.git?.changed ?? [], now.git?.changed ?? []),
    ...listChanges('untracked file', before.git?.untracked ?? [], now.git?.untracked ?? []),
  ];
}

const shortHead = ({ git }: Environment): string => git?.head.slice(0, 10) ?? 'none';

function listChanges(what: string, before: readonly string[], now: readonly string[]): string[] {
  const [was, is] = [new Set(before), new Set(now)];
  return [
    ...now.filter((each) => !was.has(each)).map((each) => `+ ${what} ${each}`),
    ...before.filter((each) => !is.has(each)).map((each) => `- ${what} ${each}`),
  ];
}
