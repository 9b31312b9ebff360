import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './scratch.ts';
import { freePort } from './freePort.ts';

/**
 * Node `one` has two CPUs and is there for everybody; `two` has two GPUs (by name only) and can be
 * broken.
 */
const nodes = ['one', 'two'] as const;

/**
 * A real Slurm on loopback ports, without accounting: controller, two nodes, and a munge of its
 * own.
 */
export class TestSlurm {
  readonly folder: string;
  readonly #children = new Map<string, ChildProcess>();

  static async start(): Promise<TestSlurm> {
    if (!existsSync('/usr/sbin/slurmctld') || !existsSync('/usr/sbin/munged'))
      throw new Error(
        'Slurm is missing: install it (Debian: apt-get install slurm-wlm munge) and run the tests again.',
      );
    const slurm = new TestSlurm();
    await slurm.#configure();
    await slurm.#startMunge();
    await slurm.startController();
    for (const node of nodes) slurm.#start(node, '/usr/sbin/slurmd', ['-D', '-N', node]);
    await until(
      'the nodes are idle',
      () => slurm.tell('sinfo', '-h', '-o', '%T').trim() === 'idle',
      90_000,
    );
    return slurm;
  }

  private constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'helios-slurm-'));
  }

  /** For every command of Slurm. */
  get env(): Readonly<Record<string, string>> {
    return { SLURM_CONF: join(this.folder, 'slurm.conf') };
  }

  /** What a command of Slurm prints. */
  tell(command: string, ...args: readonly string[]): string {
    return execFileSync(command, args, { env: { ...process.env, ...this.env }, encoding: 'utf8' });
  }

  async startController(): Promise<void> {
    this.#start('controller', '/usr/sbin/slurmctld', ['-D']);
    await until('slurmctld answers', () => this.#doesAnswer(), 90_000);
  }

  /** At once, once it has saved what it knows now. Nodes and jobs go on. */
  async stopController(): Promise<void> {
    const nowMs = Date.now();
    // It saves some seconds after a change of any job.
    this.tell(
      'scancel',
      this.tell('sbatch', '--parsable', '--hold', '--output=/dev/null', '--wrap=true').trim(),
    );
    await until(
      'the state is saved',
      () => statSync(join(this.folder, 'state', 'job_state')).mtimeMs > nowMs,
      90_000,
    );
    await this.#end('controller');
  }

  async dispose(): Promise<void> {
    try {
      this.tell('scancel', '--signal=KILL', '--full', `--user=${process.getuid?.() ?? 0}`);
      this.tell('scancel', `--user=${process.getuid?.() ?? 0}`);
      await until('no job is left', () => this.tell('squeue', '-h').trim() === '', 15_000);
    } catch {
      // A controller that is down has no jobs to end; those that run end with their nodes.
    }
    for (const name of [...this.#children.keys()].reverse()) await this.#end(name);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #doesAnswer(): boolean {
    try {
      return this.tell('scontrol', 'ping').includes('is UP');
    } catch {
      return false;
    }
  }

  async #startMunge(): Promise<void> {
    const file = (name: string): string => join(this.folder, 'munge', name);
    mkdirSync(join(this.folder, 'munge'), { mode: 0o755 });
    execFileSync('/usr/sbin/mungekey', ['--create', `--keyfile=${file('key')}`]);
    const files = {
      socket: 'socket',
      'key-file': 'key',
      'log-file': 'log',
      'pid-file': 'pid',
      'seed-file': 'seed',
    };
    const args = Object.entries(files).map(([option, name]) => `--${option}=${file(name)}`);
    this.#start('munge', '/usr/sbin/munged', ['--foreground', '--force', ...args]);
    await until('munged listens', () => existsSync(file('socket')));
  }

  async #configure(): Promise<void> {
    const folder = this.folder;
    for (const name of ['state', ...nodes]) mkdirSync(join(folder, name));
    const host = hostname().split('.')[0] ?? 'localhost';
    const ports = await Promise.all(nodes.map(() => freePort()));
    const node = (name: string, index: number, more: string): string =>
      `NodeName=${name} NodeHostname=${host} NodeAddr=127.0.0.1 Port=${ports[index]} CPUs=2 RealMemory=2000 ${more}`;
    const lines = [
      'ClusterName=test',
      `SlurmctldHost=${host}(127.0.0.1)`,
      `SlurmctldPort=${await freePort()}`,
      'SlurmUser=root',
      'AuthType=auth/munge',
      `AuthInfo=socket=${join(folder, 'munge', 'socket')}`,
      'CryptoType=crypto/munge',
      'ProctrackType=proctrack/linuxproc',
      'TaskPlugin=task/none',
      'SelectType=select/cons_tres',
      'SelectTypeParameters=CR_Core',
      'SwitchType=switch/none',
      'JobAcctGatherType=jobacct_gather/none',
      'AccountingStorageType=accounting_storage/none',
      'GresTypes=gpu',
      'PreemptType=preempt/partition_prio',
      'PreemptMode=REQUEUE',
      'KillWait=2',
      'ReturnToService=2',
      'SlurmdTimeout=20',
      'SchedulerParameters=batch_sched_delay=0,sched_min_interval=1000,sched_interval=1,bf_interval=1',
      `StateSaveLocation=${join(folder, 'state')}`,
      `SlurmdSpoolDir=${join(folder, '%n')}`,
      `SlurmctldPidFile=${join(folder, 'slurmctld.pid')}`,
      `SlurmdPidFile=${join(folder, '%n.pid')}`,
      node('one', 0, ''),
      node('two', 1, 'Gres=gpu:2'),
      'PartitionName=main Nodes=one Default=YES PriorityTier=1 PreemptMode=CANCEL',
      'PartitionName=gpu Nodes=two PriorityTier=1 PreemptMode=REQUEUE',
      'PartitionName=urgent Nodes=one,two PriorityTier=10 PreemptMode=OFF',
    ];
    writeFileSync(join(folder, 'slurm.conf'), `${lines.join('\n')}\n`);
    writeFileSync(join(folder, 'gres.conf'), 'NodeName=two Name=gpu File=/dev/tty[0-1]\n');
    writeFileSync(join(folder, 'cgroup.conf'), 'CgroupAutomount=no\n');
  }

  #start(name: string, program: string, args: readonly string[]): void {
    const child = spawn(program, args, {
      env: { ...process.env, ...this.env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const log = join(this.folder, `${name}.log`);
    child.stderr.on('data', (bytes: Buffer) => writeFileSync(log, bytes, { flag: 'a' }));
    child.once('exit', (code) => {
      if (this.#children.get(name) === child && code !== 0)
        console.error(`${name} ended with ${code}: ${readFileSync(log, 'utf8').slice(-2000)}`);
    });
    this.#children.set(name, child);
  }

  async #end(name: string): Promise<void> {
    const child = this.#children.get(name);
    this.#children.delete(name);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}
