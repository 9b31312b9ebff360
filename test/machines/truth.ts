/**
 * The truth table: every way in which a run ends, on a machine of every kind. Each row launches a
 * real run and holds what Helios says of it against what happened: the verdict, and each byte of
 * the output once.
 */
import assert from 'node:assert/strict';
import { createHash, type Hash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, before, describe, it } from 'mocha';
import { newRunId, type SessionId } from '../../src/base/ids.ts';
import { shellQuote } from '../../src/base/text.ts';
import type { Disposable } from '../../src/base/disposable.ts';
import type { Confinement } from '../../src/machines/confinement/policy.ts';
import type { FollowSink, Machine } from '../../src/machines/machine.ts';
import { createMachines } from '../../src/machines/list/machineList.ts';
import { runFolder } from '../../src/runs/supervisor.ts';
import type { Run, RunChange } from '../../src/runs/liveRun.ts';
import type { RunSpec, Verdict } from '../../src/runs/run.ts';
import { Runs } from '../../src/runs/runs.ts';
import { processesOf, touchBeside } from '../fakes/runProcesses.ts';
import { scratchFolder, until } from '../fakes/scratch.ts';
import { WarpClock } from '../fakes/warpClock.ts';
import { isLong } from '../setup/needs.ts';

export type TruthCase = 'out of memory' | 'reboot' | 'outage' | 'half-open link' | 'burst';

export interface TruthBed {
  /**
   * The machine as one Helios has it; asked again, as another one. Disposed of with `dispose` where
   * there is one.
   */
  machine(clock: WarpClock): Promise<Machine & Partial<Disposable>>;
  /** Its runs are confined so. */
  readonly confinement?: Confinement;
  /** The same machine, whose runs may use 20 MiB. For `out of memory`. */
  limitMemory?(machine: Machine): Machine;
  /** Nobody gets through, and everybody hears of it; resolves with what ends that. For `outage`. */
  outage?(): Promise<() => Promise<void>>;
  /**
   * Packets are lost and nobody hears of it; resolves with what ends that. For `half-open link`.
   */
  silence?(): Promise<() => Promise<void>>;
  /**
   * The machine goes down with the run and comes back. Default: its processes are gone, and the
   * boot is another one.
   */
  reboot?(run: Run): Promise<void>;
}

export interface TruthOptions {
  /** Ends that have another name here. */
  readonly verdicts?: Partial<Record<TruthCase, Verdict>>;
  /** Cases that do not apply, or whose making would take too long. */
  readonly without?: readonly TruthCase[];
  /**
   * Another table has the same supervisor, launched in the same way. Of the ways in which a run ends
   * by itself, the short form then has one.
   */
  readonly isVariant?: true;
  /** Lines of a burst; `HELIOS_BURST_LINES` says another number for all machines. */
  readonly burstLines?: number;
}

/** What one Helios was given of a run's output. */
interface Heard {
  readonly hash: Hash;
  bytes: number;
}

interface Helios {
  readonly machine: Machine;
  readonly runs: Runs;
  readonly changes: RunChange[];
  readonly heard: Map<string, Heard>;
  readonly clock: WarpClock;
  dispose(): void;
}

/** Far more than any buffer on the way holds. */
const usualBurstLines = 300_000;
const outageMs = 300_000;
const realOutageMs = 60_000;

/** `open` makes the bed once; whoever calls takes it away. */
export function truthTable(
  name: string,
  open: () => Promise<TruthBed>,
  options: TruthOptions = {},
): void {
  describe(`the truth table of ${name}`, function () {
    this.timeout(240_000);
    const folder = scratchFolder();
    const owned: Helios[] = [];
    let lastNumber = 0;
    let bed: TruthBed;
    before(async () => {
      bed = await open();
    });
    afterEach(() => {
      for (const one of owned.splice(0).reverse()) one.dispose();
    });

    async function helios(wrap = (machine: Machine): Machine => machine): Promise<Helios> {
      const clock = new WarpClock();
      const raw = await bed.machine(clock);
      await raw.ready?.();
      const heard = new Map<string, Heard>();
      const machine = listening(wrap(raw), heard);
      const home = join(folder(), `home-${owned.length}`);
      mkdirSync(home);
      const runs = new Runs({ machines: createMachines([machine]), folder: home, clock });
      const changes: RunChange[] = [];
      runs.onDidChange((change) => changes.push(change));
      const dispose = (): void => {
        runs.dispose();
        raw.dispose?.();
        clock.dispose();
      };
      const made = { machine, runs, changes, heard, clock, dispose };
      owned.push(made);
      return made;
    }

    const spec = ({ machine }: Helios, command: string, more: Partial<RunSpec> = {}): RunSpec => ({
      id: newRunId(Date.now()),
      sessionId: 's-truth0000' as SessionId,
      number: ++lastNumber,
      machineId: machine.id,
      command,
      cwd: machine.workFolder,
      env: {},
      metrics: { names: ['loss'] },
      label: '',
      plannedMs: Date.now() + lastNumber,
      ...(bed.confinement && { confinement: bed.confinement }),
      ...more,
    });

    /**
     * Ended with this verdict, once, after its last byte; each byte was given once and is the one
     * in the file.
     */
    async function proven(one: Helios, run: Run, verdict: Verdict, points: number): Promise<void> {
      await until(`${run.spec.command} ends`, () => run.liveness.kind === 'ended', 180_000);
      assert.deepEqual(run.liveness.kind === 'ended' && run.liveness.verdict, verdict);
      const kinds = one.changes.filter((change) => change.run === run).map(({ kind }) => kind);
      assert.equal(kinds.filter((kind) => kind === 'ended').length, 1);
      assert.equal(kinds.at(-1), 'ended');
      const [hash = '', bytes = ''] = (
        await asked(one, `sha256sum <${quoted(run)}; wc -c <${quoted(run)}`)
      ).split(/\s+-?\s*/);
      const heard = one.heard.get(run.outputPath);
      assert.equal(heard?.bytes, Number(bytes));
      assert.equal(heard.hash.copy().digest('hex'), hash);
      assert.equal(count(run), points);
      assert.deepEqual(await storedSteps(run), { points, isInOrder: true });
    }

    const quoted = (run: Run): string => shellQuote(run.outputPath);
    async function asked({ machine }: Helios, command: string): Promise<string> {
      const { stdout, stderr, outcome } = await machine.exec(command, { cwd: '/' });
      assert.deepEqual(outcome, { kind: 'exited', code: 0 }, stderr);
      return stdout.trim();
    }
    const steps = (last: number, pause = '0.02', first = 1): string =>
      `for i in $(seq ${first} ${last}); do echo "step=$i loss=0.$i"; sleep ${pause}; done`;
    /** Prints the first, and the others once there is a file of that name in its folder. */
    function inTwo(first: number, last: number): readonly [command: string, file: string] {
      const file = `go-${lastNumber}`;
      return [
        `${steps(first)}; while [ ! -e ${file} ]; do sleep 0.05; done; ${steps(last, '0', first + 1)}`,
        file,
      ];
    }
    const count = (run: Run): number => run.metrics.summary('loss')?.count ?? 0;
    const row = (what: TruthCase, title: string, prove: () => Promise<void>): void => {
      if (!options.without?.includes(what)) it(title, prove);
    };
    const burstLines = Number(
      process.env['HELIOS_BURST_LINES'] ?? options.burstLines ?? usualBurstLines,
    );
    const verdictOf = (what: TruthCase, usual: Verdict): Verdict =>
      options.verdicts?.[what] ?? usual;

    const ends: readonly (readonly [string, Verdict])[] = [
      ['exit 0', { kind: 'ok' }],
      ['exit 3', { kind: 'failed', code: 3 }],
      ['exec sh -c "exit 4"', { kind: 'failed', code: 4 }],
      ['set -e\nfalse\nexit 9', { kind: 'failed', code: 1 }],
      ['kill -KILL $$', { kind: 'signalled', signal: 'KILL' }],
    ];
    for (const [command, verdict] of options.isVariant && !isLong ? ends.slice(1, 2) : ends)
      it(command.replaceAll('\n', '; '), async () => {
        const one = await helios();
        const run = await one.runs.launch(spec(one, `${steps(3)}\n${command}`));
        await proven(one, run, verdict, 3);
      });

    row('out of memory', 'out of memory', async () => {
      const one = await helios((machine) => {
        assert.ok(bed.limitMemory);
        return bed.limitMemory(machine);
      });
      const run = await one.runs.launch(spec(one, `${steps(3)}; tail /dev/zero`));
      await proven(one, run, verdictOf('out of memory', { kind: 'out_of_memory' }), 3);
    });

    const family = `trap "" TERM; sleep 600 & setsid sh -c "sleep 600; sleep 600" & ${steps(100_000, '0.05')}`;
    const left = async (one: Helios, run: Run): Promise<string> =>
      asked(
        one,
        `grep -lsx -z ${shellQuote(`HELIOS_RUN_ID=${run.spec.id}`)} /proc/[0-9]*/environ | wc -l`,
      );

    it('its own time limit, with a child of another session and all deaf to TERM', async () => {
      const one = await helios();
      const limit = { ms: 2000, from: 'launch', graceMs: 500 } as const;
      const run = await one.runs.launch(spec(one, family, { limit }));
      await until('it ends', () => run.liveness.kind === 'ended', 60_000);
      await proven(one, run, { kind: 'time_limit' }, count(run));
      assert.ok(count(run) > 0);
      assert.equal(await left(one, run), '0');
    });

    it('killed by us, with a child of another session and all deaf to TERM', async () => {
      const one = await helios();
      const run = await one.runs.launch(spec(one, family));
      await until('some points', () => count(run) > 5);
      const report = await one.runs.kill(run, { graceMs: 500 });
      assert.ok(report.isVerified && report.isEscalated);
      await proven(one, run, { kind: 'killed' }, count(run));
      assert.equal(await left(one, run), '0');
    });

    row('burst', `${burstLines} lines in a burst`, async () => {
      const one = await helios();
      const run = await one.runs.launch(spec(one, `seq -f "step=%.0f loss=0.5" 1 ${burstLines}`));
      await proven(one, run, { kind: 'ok' }, burstLines);
    });

    row('reboot', 'its machine goes down and comes back while Helios is away', async () => {
      const first = await helios();
      const run = await first.runs.launch(spec(first, steps(100_000)));
      await until('some points', () => count(run) > 5);
      first.dispose();
      const second = await helios();
      await (bed.reboot ?? ((it: Run) => powerCut(second, it)))(run);
      const adopted = await second.runs.adopt(run.spec);
      assert.ok(adopted);
      const printed = Number(await asked(second, `grep -c loss= ${quoted(run)}`));
      const lost: Verdict = { kind: 'lost', why: 'its machine was restarted' };
      await proven(second, adopted, verdictOf('reboot', lost), printed);
    });

    async function powerCut(
      one: Helios,
      { process, outputPath, spec: { id } }: Run,
    ): Promise<void> {
      const { path, supervisorProcess, process: file } = runFolder(one.machine.runsFolder, id);
      assert.equal(`${path}/output.log`, outputPath);
      await asked(
        one,
        `kill -KILL $(sed -n s/^pid=//p ${supervisorProcess}); kill -KILL -${process?.pid}`,
      );
      await asked(one, `sed -i s/^boot_id=.*/boot_id=the-one-before/ ${supervisorProcess} ${file}`);
    }

    it('Helios is killed, and another one takes over when it is over', async () => {
      const first = await helios();
      const [command, go] = inTwo(20, 30);
      const run = await first.runs.launch(spec(first, `${command}; exit 5`));
      await until('what it prints at first', () => count(run) === 20);
      first.dispose();
      const second = await helios();
      await asked(second, `: >${shellQuote(`${second.machine.workFolder}/${go}`)}`);
      await until(
        'it is over',
        async () =>
          (await second.machine.stat(
            `${runFolder(second.machine.runsFolder, run.spec.id).exit}`,
          )) !== undefined,
      );
      const adopted = await second.runs.adopt(run.spec);
      assert.ok(adopted);
      await proven(second, adopted, { kind: 'failed', code: 5 }, 30);
    });

    const outages = [
      ['outage', 'nobody gets through for 5 minutes, in which it ends'],
      ['half-open link', 'packets are lost for 5 minutes, in which it ends'],
    ] as const;
    for (const [what, title] of outages)
      row(what, title, async () => {
        const one = await helios();
        const [command, go] = inTwo(20, 60);
        const run = await one.runs.launch(spec(one, `${command}; exit 6`));
        const { id } = run.spec;
        await until('what it prints at first', () => count(run) === 20);
        const end = await (what === 'outage' ? bed.outage?.() : bed.silence?.());
        assert.ok(end);
        await until('it is told to go on', () => touchBeside(id, go));
        await until('it is over', () => processesOf(id).length === 0);
        if (process.env['HELIOS_REAL_OUTAGE'])
          await new Promise((resolve) => setTimeout(resolve, realOutageMs));
        else await one.clock.warp(outageMs);
        await until('the outage is noticed', () => run.liveness.kind !== 'running');
        assert.equal(run.liveness.kind, 'unknown', 'nobody knows that it is over');
        assert.equal(count(run), 20);
        await end();
        await proven(one, run, { kind: 'failed', code: 6 }, 60);
      });
  });
}

/** How many points of `loss` are on the disk, and whether their steps are 1, 2, 3 …. */
async function storedSteps(run: Run): Promise<{ points: number; isInOrder: boolean }> {
  const stored = { points: 0, isInOrder: true };
  await run.metrics.replay({
    onPoints(found) {
      for (const { step } of found.filter(({ metric }) => metric === 'loss'))
        stored.isInOrder = step === ++stored.points && stored.isInOrder;
    },
    onEnd: () => undefined,
  });
  return stored;
}

/**
 * Keeps count of what is given of each file, which must come without a gap and without a byte
 * twice.
 */
function listening(machine: Machine, heard: Map<string, Heard>): Machine {
  const follow = machine.follow.bind(machine);
  return Object.assign(machine, {
    follow(path: string, offset: number, sink: FollowSink) {
      const file = heard.get(path) ?? { hash: createHash('sha256'), bytes: 0 };
      heard.set(path, file);
      assert.equal(offset, file.bytes, 'followed from where it was left');
      return follow(path, offset, {
        ...sink,
        onBytes(bytes, at) {
          assert.equal(at, file.bytes, 'in order and once');
          file.hash.update(bytes);
          file.bytes += bytes.length;
          return sink.onBytes(bytes, at);
        },
        onChange: () => sink.onChange(),
        onError: (error) => sink.onError(error),
      });
    },
  });
}
