/** What the capsule wrote down at the end, as a verdict. */
import { constants } from 'node:os';
import { parseFields } from './capsule.ts';
import type { Verdict } from './run.ts';

export interface RunEnd {
  readonly verdict: Verdict;
  readonly endedMs: number;
}

/** `undefined` when the text is not a whole exit record. */
export function parseExit(text: string): RunEnd | undefined {
  const fields = parseFields(text);
  const endedMs = Number(fields.get('ended_ms'));
  const code = fields.get('code');
  if (!(endedMs > 0) || code === undefined || !/^\d+$/.test(code)) return undefined;
  const isAsked = fields.get('killed') === '1';
  const verdict: Verdict = isAsked ? { kind: 'killed' } : verdictOfCode(Number(code), fields.get('oom') === '1');
  return { verdict, endedMs };
}

const signalNames = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name.slice(3)]));

/** A shell reports a death by signal n as 128 + n, of the command itself or of the last program it ran. */
function verdictOfCode(code: number, wasMemoryShort: boolean): Verdict {
  if (code === 0) return { kind: 'ok' };
  const signal = code > 128 ? signalNames.get(code - 128) : undefined;
  if (signal === undefined) return { kind: 'failed', code };
  return signal === 'KILL' && wasMemoryShort ? { kind: 'out_of_memory' } : { kind: 'signalled', signal };
}
