/** Submits, reads and cancels jobs of a Slurm cluster with Slurm's commands on a login host. */
import { randomUUID } from 'node:crypto';
import { delay, type Clock } from '../../base/clock.ts';
import { shellQuote, formatDuration } from '../../base/text.ts';
import { quotedReason } from '../../base/untrusted.ts';
import {
  MachineFailure,
  type Job,
  type JobRequest,
  type JobState,
  type Machine,
  type Scheduler,
} from '../machine.ts';
import type { SlurmEntry } from '../machineEntry.ts';
import { batchScript, orderSignal } from './batchScript.ts';
import { JobQueue } from './jobQueue.ts';
import { sbatchOptions } from './sbatchOptions.ts';
import { exitCodes, findScript, submitScript } from './submitScript.ts';

export interface SlurmSchedulerDeps {
  readonly login: Machine;
  readonly runsFolder: string;
  readonly entry: SlurmEntry;
  readonly clock: Clock;
}

const submitTimeoutMs = 120_000;
const orderPollMs = 250;

export class SlurmScheduler implements Scheduler {
  readonly mayRequeue: boolean;
  readonly #deps: SlurmSchedulerDeps;
  readonly #queue: JobQueue;
  #prelude: Promise<string> | undefined;

  constructor(deps: SlurmSchedulerDeps) {
    this.mayRequeue = deps.entry.requeue === true;
    this.#deps = deps;
    this.#queue = new JobQueue({ ask: (command) => this.ask(command), clock: deps.clock });
  }

  async submit(request: JobRequest): Promise<readonly string[]> {
    const names = request.elements.map(({ name }) => name);
    const knownIds = await this.#find(names);
    const elements = request.elements.filter(({ name }) => !knownIds.has(name));
    const first = elements[0]?.name;
    const base = first === undefined ? '' : await this.#submit({ ...request, elements }, first);
    const idOf = (name: string): string => {
      const index = elements.findIndex((element) => element.name === name);
      return elements.length > 1 ? `${base}_${index}` : base;
    };
    return names.map((name) => knownIds.get(name) ?? idOf(name));
  }

  async find(name: string): Promise<string | undefined> {
    return (await this.#find([name])).get(name);
  }

  state(jobId: string, options?: { readonly isUrgent?: boolean }): Promise<JobState> {
    return this.#queue.state(jobId, options);
  }

  async onNode({ id, name }: Job, script: string, timeoutMs: number): Promise<string> {
    const { login, runsFolder, entry, clock } = this.#deps;
    const order = `${runsFolder}/${name}/orders/${randomUUID()}`;
    await login.writeFile(`${order}.sh`, Buffer.from(script), { isPrivate: true });
    await this.#send(`scancel --batch --signal=${orderSignal(entry)} ${shellQuote(id)}`);
    const endMs = clock.now() + timeoutMs;
    while (clock.now() < endMs) {
      if ((await login.stat(`${order}.out`)) !== undefined)
        return Buffer.from(await login.readFile(`${order}.out`)).toString('utf8');
      await delay(clock, orderPollMs);
    }
    throw new MachineFailure(
      'timeout',
      `The node of job ${id} did not answer in ${formatDuration(timeoutMs)}.`,
    );
  }

  async cancel(jobId: string): Promise<void> {
    await this.#send(`scancel ${shellQuote(jobId)}`);
  }

  /** Runs a read-only Slurm command on the login host. Resolves with its output and exit code. */
  async ask(command: string): Promise<{ text: string; code: number }> {
    const text = await this.#deps.login.query(
      `${await this.#pathLines()}${command} 2>&1\necho "helios=$?"`,
    );
    const [, output = text, code = '1'] = /^([^]*)helios=(\d+)\s*$/.exec(text) ?? [];
    return { text: output, code: Number(code) };
  }

  async #find(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { login, runsFolder } = this.#deps;
    const text = await login.query(findScript(runsFolder, names, await this.#pathLines()));
    const knownIds = new Map<string, string>();
    for (const line of text.split('\n')) {
      const [name = '', id] = line.split(' ');
      if (id === 'unclear')
        throw new MachineFailure('timeout', `It is not yet known whether ${name} was submitted.`);
      if (id !== undefined) knownIds.set(name, id);
    }
    return knownIds;
  }

  /** Resolves with the id of the job, without an index. */
  async #submit(request: JobRequest, first: string): Promise<string> {
    const { login, runsFolder, entry } = this.#deps;
    const folder = `${runsFolder}/${first}`;
    const batch = `${folder}/batch.sh`;
    await login.writeFile(
      batch,
      Buffer.from(batchScript({ elements: request.elements, runsFolder }, entry)),
      { isPrivate: true },
    );
    const script = submitScript({
      runsFolder,
      names: request.elements.map(({ name }) => name),
      argv: [...sbatchOptions(request, entry, folder), batch],
      prelude: await this.#pathLines(),
    });
    const { outcome, stdout, stderr } = await login.exec('exec /bin/sh -s', {
      cwd: '/',
      stdin: script,
      timeoutMs: submitTimeoutMs,
    });
    const id = /^job=(\d+)$/m.exec(stdout)?.[1];
    if (outcome.kind === 'exited' && outcome.code === 0 && id !== undefined) return id;
    const why = quotedReason(stderr, 'Slurm', outcome.kind);
    if (outcome.kind === 'exited' && outcome.code === exitCodes.refused)
      throw new MachineFailure('denied', `Slurm refused the job: ${why}`);
    const isUnclear = outcome.kind !== 'exited' || outcome.code === exitCodes.unclear;
    throw new MachineFailure(
      isUnclear ? 'unreachable' : 'io',
      `The job could not be submitted to Slurm: ${why}`,
    );
  }

  async #send(command: string): Promise<void> {
    const { outcome, stderr } = await this.#deps.login.exec(
      `${await this.#pathLines()}timeout 30 ${command}`,
      {
        cwd: '/',
        timeoutMs: submitTimeoutMs,
      },
    );
    const isDone = outcome.kind === 'exited' && outcome.code === 0;
    // An error about a job that has already ended is ignored.
    if (isDone || /already completing|already completed|invalid job id/i.test(stderr)) return;
    throw new MachineFailure(
      'unreachable',
      `Slurm did not carry out the request: ${quotedReason(stderr, 'Slurm', outcome.kind)}`,
    );
  }

  /**
   * Resolves with shell lines that add Slurm's commands to PATH, because often only login shells
   * find these commands.
   */
  #pathLines(): Promise<string> {
    this.#prelude ??= this.#findSlurm().catch((error: unknown) => {
      this.#prelude = undefined;
      throw error;
    });
    return this.#prelude;
  }

  async #findSlurm(): Promise<string> {
    const { login } = this.#deps;
    const refresh = 'printf "\\nhelios=%s|%s\\n" "$(command -v sbatch)" "$SLURM_CONF"';
    const text = await login.query(
      `bash -lc ${shellQuote(refresh)} </dev/null 2>/dev/null || sh -c ${shellQuote(refresh)}`,
    );
    const [, sbatch = '', config = ''] = /^helios=([^|\n]*)\|(.*)$/m.exec(text) ?? [];
    if (!sbatch.startsWith('/'))
      throw new MachineFailure(
        'io',
        'sbatch was not found. Set the host to a login host of a Slurm cluster.',
      );
    const folder = sbatch.slice(0, sbatch.lastIndexOf('/'));
    return [
      `PATH=$PATH:${shellQuote(folder)}; export PATH`,
      ...(config === '' ? [] : [`SLURM_CONF=${shellQuote(config)}; export SLURM_CONF`]),
      '',
    ].join('\n');
  }
}
