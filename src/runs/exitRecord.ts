/** Derives the verdict of a run from the supervisor's exit record. */
import { signalName } from '../base/signals.ts';
import type { Machine } from '../machines/machine.ts';
import { parseFields, parseProcess, type RunFolder } from './supervisor.ts';
import { probe, readIfThere } from './probe.ts';
import type { RunEnd, Verdict } from './run.ts';

const neverStarted: Verdict = { kind: 'lost', why: 'its command was never started' };

/** Parses an exit record; `undefined` when the text is incomplete. */
export function parseExit(text: string): RunEnd | undefined {
  const fields = parseFields(text);
  const endedMs = Number(fields.get('ended_ms'));
  const code = fields.get('code');
  if (!(endedMs > 0) || code === undefined || !/^\d+$/.test(code)) return undefined;
  if (fields.get('started') === '0') return { verdict: neverStarted, endedMs };
  return { verdict: verdictOf(Number(code), (name) => fields.get(name) === '1'), endedMs };
}

/**
 * Returns the verdict of a run whose processes are gone and whose supervisor left no record:
 * `killed` or `time_limit` if the run's folder has the mark file of that verdict, if not, the
 * verdict `otherwise`. Rejects with `MachineFailure`.
 */
export async function verdictWithoutRecord(
  machine: Machine,
  folder: RunFolder,
  otherwise: Verdict,
): Promise<Verdict> {
  const [kill, limit] = await Promise.all([machine.stat(folder.kill), machine.stat(folder.limit)]);
  if (kill !== undefined) return { kind: 'killed' };
  return limit === undefined ? otherwise : { kind: 'time_limit' };
}

/**
 * Returns whether the supervisor of a run is alive and may still write an exit record. Rejects with
 * `MachineFailure`.
 */
export async function hasSupervisor(machine: Machine, folder: RunFolder): Promise<boolean> {
  const supervisorProcess = parseProcess(
    (await readIfThere(machine, folder.supervisorProcess, 4096)) ?? '',
  );
  return (
    supervisorProcess !== undefined && (await probe(machine, supervisorProcess)).kind === 'alive'
  );
}

/**
 * Returns the verdict for an exit code. A shell reports 128 + n when signal n killed the command or
 * the last program of the command.
 */
function verdictOf(code: number, is: (name: string) => boolean): Verdict {
  if (is('killed')) return { kind: 'killed' };
  if (is('limit')) return { kind: 'time_limit' };
  if (code === 0) return { kind: 'ok' };
  const signal = code > 128 ? signalName(code - 128) : undefined;
  if (signal === undefined) return { kind: 'failed', code };
  return signal === 'KILL' && is('oom') ? { kind: 'out_of_memory' } : { kind: 'signalled', signal };
}
