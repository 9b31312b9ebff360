/** Carries out what the user types while a session works: messages, and words such as /pause. */
import type { Engine } from '../agent/contract/engine.ts';
import type { SessionRequest } from '../agent/contract/requests.ts';
import type { Session } from '../agent/contract/sessions.ts';
import { adviceOf, UserFacing } from '../base/errors.ts';
import { parseLimits } from '../presentation/limits.ts';
import { slashWord, unknownWordText } from '../presentation/slashWords.ts';
import { statusLine, targetSentence } from '../presentation/sessions/sessionText.ts';
import type { CliDeps } from './cliDeps.ts';
import type { SessionView } from './screen/views.ts';

/** Returns the request to change the limits. Throws `UserFacing` if the text names none. */
export function budgetRequest(text: string): SessionRequest {
  const parsed = parseLimits(text);
  if (!parsed.ok) throw new UserFacing(parsed.problem);
  return { kind: 'budget', budget: parsed.limits.budget };
}

interface SteerWord {
  /** The word with an example of its argument, without the slash. */
  readonly usage: string;
  readonly what: string;
  request(rest: string): SessionRequest;
}

const steerWords: Readonly<Record<string, SteerWord>> = {
  pause: {
    usage: 'pause',
    what: 'pause until the next message',
    request: () => ({ kind: 'pause' }),
  },
  stop: {
    usage: 'stop [runs]',
    what: 'end the session; runs: also end its runs',
    request: (rest) => ({ kind: 'stop', killRuns: rest === 'runs' }),
  },
  budget: { usage: 'budget $5, 2 h', what: 'change the limits', request: budgetRequest },
  target: {
    usage: 'target val_loss < 0.3',
    what: 'change the target: the metric and the number to reach, or baseline run 5; alone: show it',
    request: (text) => ({ kind: 'target', text }),
  },
  model: {
    usage: 'model opus',
    what: 'change the model',
    request: (text) => ({ kind: 'model', model: required(text, 'model') }),
  },
  pin: {
    usage: 'pin TEXT',
    what: 'pin a sticky note that the model always sees',
    request: (text) => ({ kind: 'pin', text: required(text, 'pin') }),
  },
  unpin: {
    usage: 'unpin 2',
    what: 'remove a sticky note',
    request: (text) => ({ kind: 'unpin', number: Number(required(text, 'unpin')) }),
  },
  answer: { usage: 'answer q1 TEXT', what: 'answer a question', request: answerRequest },
};

function answerRequest(text: string): SessionRequest {
  const [, question, answer] = /^(\S+)\s+(.+)$/s.exec(text) ?? [];
  if (question === undefined || answer === undefined) throw usageOf('answer');
  return { kind: 'answer', question, answer };
}

function required(text: string, word: string): string {
  if (text === '') throw usageOf(word);
  return text;
}

const usageOf = (word: string): UserFacing =>
  new UserFacing(`/${word} is incomplete.`, `Type /${steerWords[word]?.usage ?? word}`);

/** Lists the words, one line each. */
const steerHelp = (): string =>
  [
    'A line that you type is a message to the agent. Commands:',
    ...Object.values(steerWords).map(({ usage, what }) => `  /${usage}: ${what}`),
    '  /status: show the state and the target',
  ].join('\n');

/**
 * Returns the request that a line means. Throws `UserFacing` for an unknown word or a missing
 * argument.
 */
export function requestOf(line: string): SessionRequest {
  const word = slashWord(line);
  if (word === undefined) return { kind: 'say', text: line };
  const steer = Object.hasOwn(steerWords, word) ? steerWords[word] : undefined;
  if (steer === undefined)
    throw new UserFacing(unknownWordText(word, Object.keys(steerWords)), 'Type /help for a list.');
  return steer.request(
    line
      .trim()
      .slice(word.length + 1)
      .trim(),
  );
}

/** Returns the state of the session in one line, and its target in another. */
const statusText = ({ session: { state }, deps: { clock } }: Steered): string =>
  [
    statusLine({ state }, clock.now()),
    ...(state.profile === 'goal' ? [targetSentence(state)] : []),
  ].join('\n');

interface Steered {
  readonly session: Pick<Session, 'id' | 'state'>;
  readonly engine: Pick<Engine, 'requests'>;
  readonly view: Pick<SessionView, 'notice'>;
  readonly deps: Pick<CliDeps, 'clock'>;
}

/** Requests whose event has a line of its own in the view. */
const shownByView: ReadonlySet<SessionRequest['kind']> = new Set(['say', 'pin', 'unpin']);

/** Carries out a line, and shows what was done or why not. Never rejects. */
export async function steerByLine(line: string, steered: Steered): Promise<void> {
  const { session, engine, view } = steered;
  if (slashWord(line) === 'status') return view.notice(statusText(steered));
  if (slashWord(line) === 'help') return view.notice(steerHelp());
  try {
    const request = requestOf(line);
    const { target } = session.state;
    const done = await engine.requests.send(session.id, request);
    // A message in the view tells of another target.
    if (!shownByView.has(request.kind) && session.state.target === target) view.notice(done);
  } catch (error) {
    view.notice(adviceOf(error));
  }
}
