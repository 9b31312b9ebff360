/** Repositories of a user's, and a picture of one in which every byte counts. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

const user = '[user]\n\tname = Ada\n\temail = ada@example.org\n';

export class GitRepo {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** With one commit, of `files`. */
  static create(
    folder: string,
    files: Readonly<Record<string, string>> = { 'train.py': 'print(1)\n' },
  ): GitRepo {
    const repo = GitRepo.empty(folder);
    repo.write(files);
    repo.git('add', '-A');
    // A new repository has no work that git could do in the background.
    repo.git('-c', 'maintenance.auto=false', 'commit', '-qm', 'first');
    return repo;
  }

  static empty(folder: string, ...options: readonly string[]): GitRepo {
    mkdirSync(folder, { recursive: true });
    const repo = new GitRepo(folder);
    // Most of the time would be spent on the samples of hooks in the usual template.
    repo.git('init', '-q', '-b', 'main', '--template=', ...options);
    for (const name of ['hooks', 'info']) mkdirSync(join(folder, '.git', name));
    appendFileSync(join(folder, '.git/config'), user);
    return repo;
  }

  /** What git prints, without its last line end. Throws with what it says on failure. */
  git(...args: readonly string[]): string {
    const { status, stdout, stderr } = spawnSync('git', args, {
      cwd: this.folder,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
    return stdout.replace(/\n$/, '');
  }

  write(files: Readonly<Record<string, string | Uint8Array>>): void {
    for (const [name, content] of Object.entries(files)) {
      const path = join(this.folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
  }

  /** A program in the place of a hook, filter or watcher: it leaves a mark when it is started. */
  trap(name: string): { readonly program: string; readonly mark: string } {
    const program = join(dirname(this.folder), `trap-${name}`);
    const mark = `${program}.started`;
    writeFileSync(program, `#!/bin/sh\necho "$0 $*" >>'${mark}'\ncat 2>/dev/null\n`);
    chmodSync(program, 0o755);
    return { program, mark };
  }

  /** The names in a tree or commit, without folders. */
  names(tree: string): readonly string[] {
    return this.git('ls-tree', '-r', '-z', '--name-only', tree).split('\0').filter(Boolean);
  }
}

/** What git keeps of us, and where it keeps what it needs of it. */
const ours = /^\.git\/(?:objects|refs\/helios|worktrees)(?:\/|$)/;

/**
 * Name → kind, mode, content and time of change of all that is in a folder, `.git` included: index,
 * refs, reflogs, stash, settings, hooks. Left out: the object store, refs and worktrees of ours.
 */
export function pictureOf(folder: string): ReadonlyMap<string, string> {
  const picture = new Map<string, string>();
  const add = (path: string): void => {
    const stat = lstatSync(join(folder, path));
    if (stat.isDirectory()) {
      picture.set(path, `folder ${stat.mode.toString(8)}`);
      refresh(path);
    } else if (stat.isSocket()) picture.set(path, 'socket');
    else {
      const content = stat.isSymbolicLink()
        ? readlinkSync(join(folder, path))
        : readFileSync(join(folder, path));
      const hash = createHash('sha256').update(content).digest('hex');
      picture.set(path, `${stat.mode.toString(8)} ${hash} ${stat.mtimeMs}`);
    }
  };
  const refresh = (relative: string): void => {
    for (const name of readdirSync(join(folder, relative)).sort()) {
      const path = relative === '' ? name : `${relative}/${name}`;
      if (!ours.test(path)) ifThere(() => add(path));
    }
  };
  refresh('');
  return picture;
}

/** Does something with a file; nothing if the file goes meanwhile, or becomes another kind. */
function ifThere(act: () => void): void {
  try {
    act();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || !['ENOENT', 'ENOTDIR', 'EINVAL', 'EISDIR'].includes(code))
      throw error;
  }
}

/** Names of what is another in `now`. */
export const differences = (
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
): string[] =>
  [...new Set([...before.keys(), ...now.keys()])].filter(
    (name) => before.get(name) !== now.get(name),
  );
