/**
 * Prompts of machines (passwords, host keys) in the terminal. Without a user to ask, a prompt is
 * refused with a message.
 */
import { cleanText } from '../../base/text.ts';
import type {
  HostKeyQuestion,
  MachinePrompts,
  SecretQuestion,
} from '../../machines/machinePrompts.ts';
import { secretText } from '../../presentation/machines/secretText.ts';
import type { CliDeps } from '../cliDeps.ts';
import { readLine } from '../readLine.ts';

type Terminal = Pick<CliDeps, 'stdin' | 'stdout' | 'stderr'>;
/** Runs `ask`, which asks a question, while no other output is written. */
type Aside = <T>(ask: () => Promise<T>) => Promise<T>;

/** Returns prompts that ask one question at a time. */
export function terminalPrompts(terminal: Terminal, aside: Aside = (ask) => ask()): MachinePrompts {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn: Aside = (ask) => {
    const turn = last.then(() => aside(ask));
    last = turn.catch(() => undefined);
    return turn;
  };
  return {
    askSecret: (question, signal) =>
      inTurn(() =>
        readLine(
          terminal,
          { question: `${question.machine}: ${secretText(question)}: `, isHidden: true },
          signal,
        ),
      ),
    confirmHostKey: (question, signal) => inTurn(() => confirm(terminal, question, signal)),
  };
}

export function refusingPrompts({ stderr }: Pick<CliDeps, 'stderr'>): MachinePrompts {
  const shownTexts = new Set<string>();
  const refuse = (text: string): void => {
    if (!shownTexts.has(text)) stderr.write(`${text}\n`);
    shownTexts.add(text);
  };
  return {
    askSecret(question: SecretQuestion) {
      refuse(
        `${question.machine} needs an answer (${secretText(question)}), but nobody can be asked here. Use an SSH agent or a key without a passphrase, or run helios in a terminal.`,
      );
      return Promise.resolve(undefined);
    },
    confirmHostKey({ machine, host, fingerprint, keyType }) {
      refuse(
        `${machine}: the host ${host} was never seen before; its ${keyType} key is ${fingerprint}. To confirm it, run helios machine test ${machine} in a terminal once.`,
      );
      return Promise.resolve(false);
    },
  };
}

async function confirm(
  terminal: Terminal,
  question: HostKeyQuestion,
  signal: AbortSignal,
): Promise<boolean> {
  const { machine, host, fingerprint, keyType, note = '' } = question;
  terminal.stdout.write(
    `\n${machine}: the host ${cleanText(host)} was never seen before.\nIts ${keyType} key is ${fingerprint}.\n${note && `${cleanText(note)}\n`}`,
  );
  for (let asked = 'Is that the right host? yes or no: '; ; asked = 'Answer yes or no: ') {
    const line = await readLine(terminal, { question: asked, isHidden: false }, signal);
    const answer = line?.trim().toLowerCase();
    if (answer === 'yes' || answer === 'y') return true;
    if (answer === undefined || answer === 'no' || answer === 'n') return false;
  }
}
