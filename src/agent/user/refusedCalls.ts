/**
 * Puts calls that were refused because nobody could be asked into the inbox, as questions. If the
 * user allows such a call, it is allowed when the model sends it again.
 */
import { createHash } from 'node:crypto';
import type { GateCall, RefusedCalls } from '../../permissions/gate.ts';
import type { Question, SessionState } from '../journal/state.ts';
import { openQuestions, type Questions } from './questions.ts';

/** Maximum number of open questions of this kind. Further calls are refused without a question. */
const maxOpen = 20;
/**
 * Maximum length of a call in a question. The user cannot allow a longer call, because the question
 * does not show it completely.
 */
const maxChars = 1_500;
/** Time in which the question can be answered, after which the answer is no. */
const withinMs = 7 * 24 * 60 * 60_000;

export const allowAnswer = 'Allow';
const denyAnswer = 'Do not allow';

export interface RefusedCallsDeps {
  readonly questions: Pick<Questions, 'ask'>;
  /** Returns the state of the session. */
  state(): SessionState;
}

export function refusedCalls({ questions, state }: RefusedCallsDeps): RefusedCalls {
  const asked = (call: GateCall): Question | undefined =>
    [...state().questions.values()].findLast(
      (question) => question.refused?.signature === signatureOf(call),
    );
  return {
    answerTo(call) {
      const answer = asked(call)?.answer;
      if (answer?.by !== 'person') return undefined;
      return answer.text === allowAnswer ? 'allow' : 'deny';
    },
    async add(call, why) {
      if (asked(call) !== undefined) return true;
      const open = openQuestions(state()).filter(({ refused }) => refused !== undefined);
      if (open.length >= maxOpen || call.detail.length > maxChars) return false;
      await questions.ask({
        text: questionText(call, why),
        options: [allowAnswer, denyAnswer],
        fallback: denyAnswer,
        withinMs,
        refused: { title: call.title, signature: signatureOf(call) },
      });
      return true;
    },
  };
}

/**
 * Returns the call, the reason and the effect, each on its own lines. Repeated lines are omitted.
 */
function questionText({ title, detail }: GateCall, why: string): string {
  const lines = detail.split('\n').filter((line) => !why.endsWith(line.replace(/\.$/, '')));
  return [
    'Allow this call, whenever the agent makes it in this session?',
    `Call: ${title}`,
    `Refused: ${why}.`,
    ...lines,
  ].join('\n');
}

/** Returns a text that is equal for two calls that do the same. */
const signatureOf = ({ tool, detail }: GateCall): string =>
  createHash('sha256')
    .update(JSON.stringify([tool, detail]))
    .digest('hex');
