/**
 * Watches conditions on processes and files. Each poll of a machine checks all conditions on it.
 */
import { DisposableStore, toDisposable, type Disposable } from '../base/disposable.ts';
import type { FileState, ProcessState } from '../machines/probes/probe.ts';
import type { ConditionPorts, ConditionSink, TriggerOf } from './condition.ts';
import { processesText } from './trigger.ts';

export function watchProcess(
  { machineId, pid, startTime }: TriggerOf<'foreign_exit'>,
  { ports }: ConditionPorts,
  sink: ConditionSink,
): Disposable {
  const isOther = (found: ProcessState): boolean =>
    startTime !== undefined && found.startTime !== '' && found.startTime !== startTime;
  return ports.probes.watch(
    ports.machine(machineId),
    { kind: 'process', pid },
    {
      // The end is final: a later process with this pid is a different process.
      answer: (found) => (found === undefined || isOther(found)) && sink.met(true),
      failed: (message) => sink.failed(message),
    },
  );
}

/**
 * Met when no process matches the pattern and every process that ever matched it has ended, even if
 * the command line of that process has changed since.
 */
export function watchPattern(
  { machineId, pattern, processes }: TriggerOf<'pattern_exit'>,
  { ports }: ConditionPorts,
  sink: ConditionSink,
): Disposable {
  const machine = ports.machine(machineId);
  const followed = new Map<string, Disposable>();
  const probes = new DisposableStore();
  let hasMatches = true;
  const consider = (): void => sink.met(!hasMatches && followed.size === 0);
  const failed = (message: string): void => sink.failed(message);
  const follow = ({ pid, startTime }: ProcessState): void => {
    const key = `${pid} ${startTime}`;
    if (followed.has(key)) return;
    const answer = (found: ProcessState | undefined): void => {
      if (found !== undefined && (startTime === '' || found.startTime === startTime)) return;
      followed.get(key)?.dispose();
      followed.delete(key);
      consider();
    };
    followed.set(key, ports.probes.watch(machine, { kind: 'process', pid }, { answer, failed }));
  };
  processes.forEach(follow);
  probes.add(toDisposable(() => followed.forEach((each) => each.dispose())));
  const answer = (found: readonly ProcessState[]): void => {
    hasMatches = found.length > 0;
    sink.found?.(processesText(found));
    found.forEach(follow);
    consider();
  };
  probes.add(ports.probes.watch(machine, { kind: 'pattern', pattern }, { answer, failed }));
  return probes;
}

export function watchFile(
  trigger: TriggerOf<'file'>,
  { ports, clock }: ConditionPorts,
  sink: ConditionSink,
): Disposable {
  const holds = fileCheck(trigger, () => clock.now());
  return ports.probes.watch(
    ports.machine(trigger.machineId),
    { kind: 'file', path: trigger.path },
    { answer: (found) => sink.met(holds(found)), failed: (message) => sink.failed(message) },
  );
}

function fileCheck(
  trigger: TriggerOf<'file'>,
  nowMs: () => number,
): (found: FileState | undefined) => boolean {
  switch (trigger.mode) {
    case 'exists':
      return (found) => found !== undefined;
    case 'modified':
      return modifiedCheck(trigger.baseline);
    case 'size_stable':
      return stableCheck(trigger.windowMs ?? defaultWindowMs, nowMs);
  }
}

const defaultWindowMs = 60_000;
/**
 * Maximum gap between two probes for which an equal file is treated as unchanged. During a longer
 * gap, the file may have changed and changed back.
 */
const longestGapMs = 90_000;

/**
 * Returns a function that returns true once the file was modified, and at every later call.
 * Compares whole seconds if the baseline is in whole seconds, because some protocols transfer no
 * fractions.
 */
function modifiedCheck(
  baseline: TriggerOf<'file'>['baseline'],
): (found: FileState | undefined) => boolean {
  let isModified = false;
  return (found) => {
    if (found === undefined) return isModified;
    const isSameTime =
      baseline !== undefined &&
      (baseline.modifiedMs % 1000 === 0
        ? Math.floor(found.modifiedMs / 1000) === baseline.modifiedMs / 1000
        : Math.abs(found.modifiedMs - baseline.modifiedMs) < 1);
    isModified ||= !isSameTime || found.sizeBytes !== baseline?.sizeBytes;
    return isModified;
  };
}

function stableCheck(
  windowMs: number,
  nowMs: () => number,
): (found: FileState | undefined) => boolean {
  let lastState: FileState | undefined;
  let sinceMs = 0;
  let probedMs = 0;
  return (found) => {
    const atMs = nowMs();
    const isSame =
      lastState !== undefined &&
      found?.sizeBytes === lastState.sizeBytes &&
      found.inode === lastState.inode &&
      atMs - probedMs <= longestGapMs;
    if (!isSame) sinceMs = atMs;
    lastState = found;
    probedMs = atMs;
    return found !== undefined && atMs - sinceMs >= windowMs;
  };
}
