import { shellQuote } from '../base/text.ts';
import { MachineFailure } from '../machines/machine.ts';
import type { SleepMachine } from './sleepWorld.ts';

export interface ProbedProcess {
  /** Tells one process from a later one with the same pid; empty where the machine does not say. */
  readonly startTime: string;
}

const timeoutMs = 10_000;

/** Linux tells by /proc, others by `ps`; a zombie has ended. Prints `gone`, or `alive` and the start time. */
const script = (pid: number): string =>
  [
    `if [ -r /proc/${pid}/stat ]; then`,
    `  set -- $(sed 's/^.*) //' /proc/${pid}/stat 2>/dev/null); state=$1; [ $# -ge 20 ] && shift 19; start=$1;`,
    `else`,
    `  state=$(ps -o stat= -p ${pid} 2>/dev/null); start=$(ps -o lstart= -p ${pid} 2>/dev/null);`,
    `fi`,
    `if [ -z "$state" ]; then kill -0 ${pid} 2>/dev/null && state=unknown; fi`,
    `case "$state" in ''|Z*|X*) echo gone;; *) echo alive $start;; esac`,
  ].join('\n');

/** `undefined` when no such process is alive. Rejects with `MachineFailure` when that is not known. */
export async function probeProcess(
  machine: SleepMachine,
  pid: number,
  signal?: AbortSignal,
): Promise<ProbedProcess | undefined> {
  const options = { timeoutMs, ...(signal && { signal }) };
  const { stdout, outcome } = await machine.exec(`sh -c ${shellQuote(script(pid))}`, options);
  const answer = /^(gone|alive)\b(.*)$/m.exec(stdout);
  if (outcome.kind !== 'exited' || answer === null)
    throw new MachineFailure('io', `Whether process ${pid} is alive on ${machine.id} could not be found out.`);
  return answer[1] === 'alive' ? { startTime: (answer[2] ?? '').trim() } : undefined;
}
