/**
 * From a request to the model that launches an experiment to the first instruction of the run, with
 * the code kept, in repositories of different sizes.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Session } from '../../src/agent/contract/sessions.ts';
import { ScriptedModel } from '../fakes/scriptedModel.ts';
import { openEngine, workOf } from './bed.ts';
import { median, none, quantile, spread, timed, type Figure, type Size } from './figure.ts';
import { stampsOf } from './stamps.ts';

const sizes = {
  full: { warmUps: 2, launches: 30, files: [1_000, 50_000] },
  tiny: { warmUps: 1, launches: 2, files: [20] },
};
const filesPerFolder = 100;
/** Aims, as multiples of what is measured beside. */
const spawns = 5;
const statuses = 1.5;
/** Up to so many files, `git status` is not added to the aim. */
const smallRepository = 1_000;

const run = promisify(execFile);

/** Each tries another rate: the same is tried once. */
const commandOf = (launch: number): string =>
  `lr=${launch}e-4; echo start_ns=$(date +%s%N); echo loss=0.5; echo end_ns=$(date +%s%N)`;

interface Launched {
  /** From the request to the first instruction. */
  readonly launchMs: number[];
  readonly plannedToStartedMs: number[];
  /** A spawn of the same command, up to its first instruction. */
  readonly spawnMs: number[];
  readonly statusMs: number[];
  /** Of the experiments. */
  readonly unkept: number;
}

export async function benchLaunch(folder: string, size: Size): Promise<Figure[]> {
  const { files, ...terms } = sizes[size];
  const figures: Figure[] = [];
  for (const count of files)
    figures.push(...figuresOf(count, await launches(join(folder, `${count}`), count, terms)));
  return figures;
}

function figuresOf(files: number, launched: Launched): Figure[] {
  const { launchMs, plannedToStartedMs, spawnMs, statusMs, unkept } = launched;
  const bareMs =
    spawns * median(spawnMs) + (files > smallRepository ? statuses * median(statusMs) : 0);
  const what = `${files} files`;
  return [
    ...spread(`request → first instruction, ${what}`, launchMs),
    ...spread(`planned → started, ${what}`, plannedToStartedMs),
    { name: `bare spawn beside it, ${what}, p50`, value: median(spawnMs), unit: 'ms' },
    { name: `git status beside it, ${what}, p50`, value: median(statusMs), unit: 'ms' },
    {
      name: `launch, p95 ÷ its bound, ${what}`,
      value: quantile(launchMs, 0.95) / bareMs,
      unit: '×',
      aim: { atMost: 1 },
    },
    { name: `code not kept, ${what}`, value: unkept, unit: 'count', aim: none },
  ];
}

interface Terms {
  readonly warmUps: number;
  readonly launches: number;
}

/** A file is changed before each launch. What it is compared with is measured in turns with it. */
async function launches(folder: string, files: number, terms: Terms): Promise<Launched> {
  const total = terms.warmUps + terms.launches;
  const work = workOf(folder);
  const requestedMs: number[] = [];
  const [spawnMs, statusMs]: [number[], number[]] = [[], []];
  const model = new ScriptedModel(async (_request, index) => {
    const launch = Math.floor(index / 2);
    if (launch >= total)
      return [{ name: 'finish', input: { outcome: 'blocked', summary: 'measured' } }];
    if (index % 2 === 1) return [untilRun(launch + 1)];
    await writeFile(join(work, 'folder0', 'file0.py'), `rate = ${launch}\n`);
    spawnMs.push(await bareSpawnMs(work, launch));
    statusMs.push(await timed(() => run('git', ['status', '--porcelain'], { cwd: work })));
    requestedMs.push(Date.now());
    const input = { command: commandOf(launch), metric_names: ['loss'] };
    return [{ name: 'remote_exec_background', input }];
  });
  const engine = await openEngine({ folder, model });
  try {
    await fill(work, files);
    const session = await engine.sessions.start({
      goal: 'measure',
      budget: {},
      workFolder: work,
    });
    await session.ended;
    const outputs = engine.runs.all().map((each) => readFile(each.outputPath, 'utf8'));
    const starts = (await Promise.all(outputs)).map((output) => stampsOf(output).startMs);
    if (starts.length !== total) throw new Error(`${starts.length} of ${total} were launched.`);
    const launchMs = starts.map((startMs, index) => startMs - (requestedMs[index] ?? 0));
    const cut = (all: readonly number[]): number[] => all.slice(terms.warmUps);
    return {
      launchMs: cut(launchMs),
      plannedToStartedMs: cut(startsOf(session)),
      spawnMs: cut(spawnMs),
      statusMs: cut(statusMs),
      unkept: [...session.state.experiments.values()].filter(
        ({ plan: { code } }) => code.kind !== 'git' || code.commit === undefined,
      ).length,
    };
  } finally {
    await engine.close();
  }
}

const untilRun = (number: number) => ({
  name: 'sleep',
  input: { reason: 'it trains', wake_conditions: [{ type: 'process_exit', run: number }] },
});

function startsOf(session: Session): number[] {
  const events = session.events();
  const plannedMs = new Map(
    events.flatMap((event) =>
      event.type === 'run.planned' ? [[event.spec.id, event.at] as const] : [],
    ),
  );
  return events.flatMap((event) =>
    event.type === 'run.started' ? [event.at - (plannedMs.get(event.runId) ?? 0)] : [],
  );
}

/** All are committed. */
async function fill(work: string, files: number): Promise<void> {
  for (let first = 0; first < files; first += filesPerFolder) {
    const folder = join(work, `folder${first / filesPerFolder}`);
    await mkdir(folder);
    const names = Array.from({ length: Math.min(filesPerFolder, files - first) }, (_, at) => at);
    await Promise.all(
      names.map((at) => writeFile(join(folder, `file${at}.py`), `x = ${first + at}\n`)),
    );
  }
  const author = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost'];
  await run('git', ['add', '.'], { cwd: work });
  await run('git', [...author, 'commit', '--quiet', '-m', 'begin'], { cwd: work });
}

async function bareSpawnMs(cwd: string, launch: number): Promise<number> {
  const startedMs = Date.now();
  const child = spawn('/bin/bash', ['-c', commandOf(launch)], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const output: Buffer[] = [];
  child.stdout.on('data', (bytes: Buffer) => output.push(bytes));
  await once(child, 'close');
  return stampsOf(Buffer.concat(output).toString()).startMs - startedMs;
}
