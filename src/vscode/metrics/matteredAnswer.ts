/** Answers the view's question what mattered, from the ledger of a session. */
import type { MatteredAnswer } from '../../protocol/mattered.ts';
import { matteredAnswer } from '../../presentation/runs/mattered/mattered.ts';
import { measuredRuns } from '../../presentation/runs/mattered/measured.ts';
import type { OpenSessionView } from '../window/sessionFacts.ts';

export const answerMattered = (
  { state, ledger }: OpenSessionView,
  runIds: readonly string[],
): MatteredAnswer => matteredAnswer(measuredRuns({ target: state.target, ledger }, runIds));

/** The answer of a session that cannot be read. */
export const nothingMattered: MatteredAnswer = matteredAnswer({ runs: [], leftOut: 0, best: [] });
