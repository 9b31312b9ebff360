/**
 * Sends many probes to a machine in one query. Each probe is a POSIX sh fragment that runs in
 * parallel with the others: a fragment that fails, prints arbitrary text or hangs (on a lost file
 * server or a driver) neither blocks another fragment nor changes its answer.
 */
import { randomBytes } from 'node:crypto';
import { shellText } from '../../base/shellText.ts';
import { shellQuote } from '../../base/text.ts';
import type { Machine } from '../machine.ts';

/**
 * Output of each fragment, in the order of the fragments, without trailing line breaks; `undefined`
 * for a fragment that timed out and was ended.
 */
export type BatchAnswers = readonly (string | undefined)[];

/**
 * Maximum size of the pieces in which output is printed. Linux writes up to 4096 bytes to a pipe
 * atomically, so pieces of different fragments never mix.
 */
const pieceBytes = 3500;
/** Maximum size of a fragment's output. Longer output is replaced by an empty text. */
const maxAnswerBytes = 64 * 1024;

/**
 * Runs the fragments in one query, and resolves with their answers. Rejects with `MachineFailure`
 * when the machine does not answer.
 */
export async function askTogether(
  machine: Pick<Machine, 'query'>,
  fragments: readonly string[],
  withinSeconds: number,
): Promise<BatchAnswers> {
  if (fragments.length === 0) return [];
  const word = randomBytes(8).toString('hex');
  const timeoutMs = (withinSeconds + 12) * 1000;
  const script = batchScript(fragments, { word, withinSeconds });
  const text = await machine.query(script, { timeoutMs, isProbe: true });
  return parseBatch(text, word, fragments.length);
}

/**
 * Returns the script of a batch. `word` is a random text that separates the answers. The fragments
 * run in a separate process group, which `$lead` starts. The whole group is ended when all
 * fragments have answered or the time is over. `sed` ends the answer at the line `<word> end`, so
 * that later output of a fragment cannot get into the answer to another query. `$shell` in a
 * fragment is the pid of the querying shell.
 */
function batchScript(
  fragments: readonly string[],
  { word, withinSeconds }: { word: string; withinSeconds: number },
) {
  const group = [
    `shell=$2 say_word=${word} say_piece=${pieceBytes} say_most=${maxAnswerBytes}`,
    shellText('./say.sh', import.meta.url),
    ...fragments.map(
      (fragment, index) => `( o=$(${fragment}\n); say ${index} "$o" ) </dev/null 2>/dev/null &`,
    ),
    'wait',
    'kill "$1"',
  ].join('\n');
  return [
    'LC_ALL=C; export LC_ALL; PATH=$PATH:/usr/sbin:/sbin',
    'lead=; if command -v setsid >/dev/null; then lead=setsid',
    `elif command -v perl >/dev/null; then lead='perl -e setpgrp(0,0);exec(@ARGV)'; fi`,
    '{ (',
    `sleep ${withinSeconds} & s=$!`,
    `$lead /bin/sh -c ${shellQuote(group)} sh "$s" "$$" & q=$!`,
    `wait "$s" 2>/dev/null; printf '\\n%s end\\n' ${word}`,
    'kill -s KILL -- "-$q" 2>/dev/null || kill -s KILL "$q"',
    `) 2>/dev/null & } | sed '/^${word} end$/q'`,
  ].join('\n');
}

function parseBatch(text: string, word: string, count: number): BatchAnswers {
  const answers: (string | undefined)[] = Array.from({ length: count }, () => undefined);
  const pieces = new Map<number, string>();
  const parts = text.split(new RegExp(`\\n${word} (\\d+[+.]|end)\\n`));
  for (let at = 1; at + 1 < parts.length; at += 2) {
    const head = parts[at] ?? '';
    if (head === 'end') break;
    const index = Number(head.slice(0, -1));
    const whole = (pieces.get(index) ?? '') + (parts[at + 1] ?? '');
    if (head.endsWith('+')) pieces.set(index, whole);
    else answers[index] = whole;
  }
  return answers;
}
