/**
 * A copy of the repository, in which one test file at a time runs as a process group of its own.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { cp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import { codeOf } from '../../src/base/errors.ts';
import { cacheFolder, repositoryRoot } from '../setup/paths.ts';
import { processesWithVariable, signalProcess } from '../setup/processes.ts';
import type { Counts } from '../setup/reporter.ts';
import { endGroup, ownEnvironment } from '../setup/tier.ts';

export interface TestRun {
  /**
   * Late: nothing was found wrong but that something did not come in time. Hung: it was ended at
   * its limit.
   */
  readonly outcome: 'passed' | 'failed' | 'late' | 'hung';
  readonly why: string;
  readonly ms: number;
}

const left = new Set(['.git', 'node_modules', 'dist', 'dist-test', 'out', 'bench', '.test']);
const marker = 'HELIOS_MUTANTS_TREE';
const scratch = join(tmpdir(), `mutants-${process.pid}`);
const running = new Set<Tree>();

/** Ends what runs and removes every copy. */
export function removeTrees(): void {
  for (const tree of running) tree.end();
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

/** Removes what a run left that was killed itself. */
export function removeForsaken(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = /^mutants-(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid)))
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

export class Tree {
  readonly root: string;
  readonly #id: string;
  readonly #folder: string;
  readonly #temporary: string;
  #child: ChildProcess | undefined;

  private constructor(name: string) {
    this.#id = `${process.pid}-${name}`;
    this.#folder = join(scratch, name);
    this.root = join(this.#folder, 'r');
    // Short: sockets lie in there. Tests step down to another user, who needs it too.
    this.#temporary = join(this.#folder, 't');
  }

  static async copy(name: string, from: string = repositoryRoot): Promise<Tree> {
    const tree = new Tree(name);
    mkdirSync(tree.#folder, { recursive: true });
    await cp(from, tree.root, {
      recursive: true,
      filter: (path) => !left.has(relative(from, path)),
    });
    symlinkSync(join(repositoryRoot, 'node_modules'), join(tree.root, 'node_modules'));
    tree.#emptyTemporary();
    for (const folder of [scratch, tree.#folder, tree.root]) chmodSync(folder, 0o755);
    return tree;
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.root, file), text);
  }

  /**
   * Runs one test file until its first failure; to its end where it is counted what is executed.
   */
  async run(test: string, limitMs: number, env: NodeJS.ProcessEnv = {}): Promise<TestRun> {
    const counts = join(this.#folder, 'counts.json');
    rmSync(counts, { force: true });
    const startedMs = performance.now();
    const { isHung, code, errors } = await this.#mocha(test, limitMs, {
      ...env,
      HELIOS_TEST_COUNTS: counts,
    });
    this.#emptyTemporary();
    const ms = Math.round(performance.now() - startedMs);
    if (isHung)
      return { outcome: 'hung', why: `did not end within ${Math.round(limitMs / 1000)} s`, ms };
    const { failures, passed } = existsSync(counts)
      ? (JSON.parse(readFileSync(counts, 'utf8')) as Counts)
      : { failures: [], passed: 0 };
    if (code === 0 && passed > 0) return { outcome: 'passed', why: '', ms };
    const [failure] = failures;
    const why =
      failure === undefined
        ? `could not run: ${errors.slice(-200)}`
        : `${failure.test}: ${failure.why}`;
    return {
      outcome: failures.length > 0 && failures.every(({ isLate }) => isLate) ? 'late' : 'failed',
      why,
      ms,
    };
  }

  async #mocha(
    test: string,
    limitMs: number,
    env: NodeJS.ProcessEnv,
  ): Promise<{ isHung: boolean; code: number | null; errors: string }> {
    const config = readFileSync(join(this.root, 'test/unit/.mocharc.json'), 'utf8');
    const { require: required } = JSON.parse(config) as { readonly require: readonly string[] };
    const options = [
      '--no-config',
      ...required.flatMap((file) => ['--require', file]),
      '--reporter',
      'test/setup/reporter.mjs',
    ];
    const strict = ['--timeout', '60000', '--forbid-only', '--forbid-pending', '--exit'];
    if (env['NODE_V8_COVERAGE'] === undefined) strict.push('--bail');
    const child = spawn(
      process.execPath,
      ['node_modules/mocha/bin/mocha.js', ...options, ...strict, test],
      {
        cwd: this.root,
        env: { ...this.#environment(), ...env },
        stdio: ['ignore', 'ignore', 'pipe'],
        detached: true,
      },
    );
    this.#child = child;
    running.add(this);
    let errors = '';
    child.stderr
      .setEncoding('utf8')
      .on('data', (text: string) => (errors = (errors + text).slice(-2000)));
    let isHung = false;
    const limit = setTimeout(() => {
      isHung = true;
      this.end();
    }, limitMs);
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', resolve);
    });
    clearTimeout(limit);
    this.end();
    running.delete(this);
    child.stderr.destroy();
    return { isHung, code, errors };
  }

  /** Ends the group, and what tests have started in groups of their own. */
  end(): void {
    endGroup(this.#child?.pid ?? 0, 'SIGKILL');
    if (process.platform !== 'linux') return;
    for (const each of processesWithVariable(marker, this.#id)) signalProcess(each.pid, 'SIGKILL');
  }

  #emptyTemporary(): void {
    rmSync(this.#temporary, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    mkdirSync(this.#temporary);
    chmodSync(this.#temporary, 0o1777);
  }

  /** What Node compiles of a mutant is not kept beside what it compiles of the product. */
  #environment(): NodeJS.ProcessEnv {
    return {
      ...ownEnvironment(join(this.#folder, 'none')),
      PATH: [join(repositoryRoot, 'node_modules/.bin'), process.env['PATH'] ?? ''].join(delimiter),
      TMPDIR: this.#temporary,
      HELIOS_TEST_CACHE: cacheFolder,
      NODE_COMPILE_CACHE: join(this.#folder, 'compiled'),
      [marker]: this.#id,
    };
  }
}
