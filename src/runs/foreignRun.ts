/**
 * Watches and ends runs that another process follows. Acts only on the machine of the run and
 * stores nothing on this computer.
 */
import { delay, type Clock } from '../base/clock.ts';
import { adviceOf } from '../base/errors.ts';
import type { Machine } from '../machines/machine.ts';
import { parseProcess, runFolder, type RunFolder } from './supervisor.ts';
import { parseExit, verdictWithoutRecord } from './exitRecord.ts';
import { hostOf } from './hostOf.ts';
import { readIfThere } from './probe.ts';
import type { RunEnd, RunSpec } from './run.ts';
import type { RunHost, SignalOutcome } from './runHost.ts';

export interface ForeignRun {
  readonly spec: RunSpec;
  readonly machine: Machine;
  readonly clock: Clock;
}

export interface RunSink {
  /** Called with new bytes of the output: each byte once, in order. */
  onOutput(bytes: Uint8Array): void;
  /**
   * Called when the machine does not answer. The failed request is repeated until the machine
   * answers.
   */
  onTrouble(why: string): void;
}

const graceMs = 10_000;

/** Ends every process of the run, as `Runs.kill` does. Rejects with `MachineFailure`. */
export const endRun = (run: ForeignRun): Promise<SignalOutcome> =>
  hostOf(run).signal('TERM', graceMs);

/**
 * Passes the output after byte `offset` to `onOutput` as the file grows. Resolves with the end of
 * the run once all output was passed on, or with `undefined` when the signal is aborted.
 */
export async function watchRun(
  run: ForeignRun,
  sink: RunSink,
  { offset = 0, signal }: { readonly offset?: number; readonly signal: AbortSignal },
): Promise<RunEnd | undefined> {
  const { machine, clock } = run;
  const folder = runFolder(machine.runsFolder, run.spec.id);
  const host = hostOf(run);
  let wake: () => void = () => undefined;
  const follow = machine.follow(folder.output, offset, {
    onBytes: (bytes) => sink.onOutput(bytes),
    onChange: () => wake(),
    onError: (error) => sink.onTrouble(adviceOf(error)),
  });
  let goneSinceMs: number | undefined;
  try {
    while (!signal.aborted) {
      const changed = new Promise<void>((resolve) => (wake = resolve));
      try {
        const seen = await probe(run, host, folder);
        goneSinceMs = seen.kind === 'gone' ? (goneSinceMs ?? clock.now()) : undefined;
        const isOver = goneSinceMs !== undefined && clock.now() - goneSinceMs >= host.recordGraceMs;
        if (seen.kind === 'over' || (seen.kind === 'gone' && (seen.isFinal || isOver))) {
          await follow.drain();
          return seen.end;
        }
      } catch (error) {
        sink.onTrouble(adviceOf(error));
      }
      await pause(clock, host.checkIntervalMs, changed, signal);
    }
    return undefined;
  } finally {
    follow.dispose();
  }
}

type Seen =
  | { readonly kind: 'going' }
  | { readonly kind: 'over'; readonly end: RunEnd }
  /** The process is gone. `isFinal`: the exit record can no longer appear. */
  | { readonly kind: 'gone'; readonly isFinal: boolean; readonly end: RunEnd };

async function probe(
  { machine, clock }: ForeignRun,
  host: RunHost,
  folder: RunFolder,
): Promise<Seen> {
  const read = async (): Promise<RunEnd | undefined> =>
    parseExit((await readIfThere(machine, folder.exit, 4096)) ?? '');
  const record = await read();
  const settled = record && (await host.settled(record, read));
  if (settled !== undefined) return { kind: 'over', end: settled };
  const process = parseProcess((await readIfThere(machine, folder.process, 4096)) ?? '');
  const presence = await host.presence(process && (await host.identified(process)));
  if (presence.kind !== 'gone') return { kind: 'going' };
  const otherwise = presence.end?.verdict ?? ({ kind: 'lost', why: presence.why } as const);
  const verdict = await verdictWithoutRecord(machine, folder, otherwise);
  const heartbeat = await machine.stat(folder.heartbeat);
  const endedMs = presence.end?.endedMs ?? heartbeat?.modifiedMs ?? clock.now();
  return { kind: 'gone', isFinal: presence.isFinal, end: { verdict, endedMs } };
}

/** Waits until the delay is over, a file has changed or the signal is aborted. Never rejects. */
async function pause(
  clock: Clock,
  delayMs: number,
  changed: Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  await Promise.race([changed, delay(clock, delayMs, either).catch(() => undefined)]);
  over.abort();
}
