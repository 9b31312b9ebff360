/**
 * Many looks at a machine in one query. Each is a POSIX-sh fragment by itself, run beside the
 * others: what fails, prints anything at all, or hangs (a file server that is gone, a driver)
 * neither blocks nor falsifies another one.
 */
import { randomBytes } from 'node:crypto';
import { shellText } from '../../base/shellText.ts';
import { shellQuote } from '../../base/text.ts';
import type { Machine } from '../machine.ts';

/**
 * What each fragment printed, without the line breaks at its end; `undefined`: it was not done in
 * time and was ended.
 */
export type BatchAnswers = readonly (string | undefined)[];

/** Pipes take up to 4096 bytes whole, whoever else writes: so each piece arrives in one piece. */
const pieceBytes = 3500;
/** Of one fragment. */
const maxAnswerBytes = 64 * 1024;

/** Rejects with `MachineFailure` when the machine does not answer. */
export async function askTogether(
  machine: Pick<Machine, 'query'>,
  fragments: readonly string[],
  withinSeconds: number,
): Promise<BatchAnswers> {
  if (fragments.length === 0) return [];
  const word = randomBytes(8).toString('hex');
  const timeoutMs = (withinSeconds + 12) * 1000;
  const text = await machine.query(batchScript(fragments, { word, withinSeconds }), { timeoutMs });
  return parseBatch(text, word, fragments.length);
}

/**
 * The fragments are a process group of their own (`$lead`), which is ended, whoever is left in it,
 * when all have spoken or the time is over. `sed` ends the answer: nothing that comes later can get
 * into another one. A fragment knows the shell that was asked as `$shell`.
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
