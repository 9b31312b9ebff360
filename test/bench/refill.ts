/**
 * How soon a place on an SSH host is taken again: from the last instruction of a run of a sweep to
 * the first one of the run that follows it.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { LoginHost } from '../fakes/loginHost.ts';
import { ScriptedModel } from '../fakes/scriptedModel.ts';
import { openEngine, workOf } from './bed.ts';
import { none, spread, timed, type Figure, type Size } from './figure.ts';
import { SshMaster } from './sshMaster.ts';
import { stampsOf, type Stamps } from './stamps.ts';

const sizes = { full: { runs: 40, commands: 20 }, tiny: { runs: 4, commands: 2 } };
const places = 2;

export async function benchRefill(folder: string, size: Size): Promise<Figure[]> {
  const { runs, commands } = sizes[size];
  const host = await LoginHost.start('ssh');
  try {
    const stamps = await sweep(folder, host, runs);
    return [
      ...spread('run of a sweep ends → the next begins, over SSH', refillsMs(stamps), 1000),
      {
        name: 'sweep over SSH: runs that were not started',
        value: runs - stamps.length,
        unit: 'count',
        aim: none,
      },
      ...spread('command of ssh, connection open, for comparison', await bareMs(host, commands)),
    ];
  } finally {
    await host.dispose();
  }
}

/** Resolves with when each run began and ended. The runs take from 0.3 to 0.7 s. */
async function sweep(folder: string, host: LoginHost, runs: number): Promise<Stamps[]> {
  const command_template =
    'echo start_ns=$(date +%s%N); sleep 0.$((3 + {x} * 7 % 5)); echo loss=0.{x}; echo end_ns=$(date +%s%N)';
  const params = { x: Array.from({ length: runs }, (_, index) => index + 1) };
  const machines = ['gpu1'];
  const call = { command_template, params, machines, max_parallel: places, metric_names: ['loss'] };
  const wake_conditions = [{ type: 'process_exit', sweep: 's1' }];
  const model = new ScriptedModel([
    [{ name: 'sweep', input: call }],
    [{ name: 'sleep', input: { reason: 'they train', wake_conditions } }],
    [{ name: 'finish', input: { outcome: 'blocked', summary: 'measured' } }],
  ]);
  const engine = await openEngine({ folder, model, createMachine: host.createMachine });
  try {
    await engine.machines.add({ id: 'gpu1', kind: 'ssh', alias: 'login' });
    const session = await engine.sessions.start({
      goal: 'measure',
      budget: {},
      workFolder: workOf(folder),
    });
    await session.ended;
    // The host is this computer.
    return await Promise.all(
      engine.runs.all().map(async (run) => stampsOf(await readFile(run.outputPath, 'utf8'))),
    );
  } finally {
    await engine.close();
  }
}

/** The first runs take the free places; each later one takes that of the run that ended next. */
function refillsMs(stamps: readonly Stamps[]): number[] {
  const ends = stamps.map(({ endMs }) => endMs).sort((a, b) => a - b);
  const starts = stamps.map(({ startMs }) => startMs).sort((a, b) => a - b);
  return starts.slice(places).map((startMs, index) => startMs - (ends[index] ?? startMs));
}

async function bareMs(host: LoginHost, commands: number): Promise<number[]> {
  const master = await SshMaster.open(host.sshd);
  try {
    const timesMs: number[] = [];
    for (let turn = 0; turn < commands; turn += 1)
      timesMs.push(
        await timed(() => promisify(execFile)('ssh', [...master.options, '127.0.0.1', 'true'])),
      );
    return timesMs;
  } finally {
    master.dispose();
  }
}
