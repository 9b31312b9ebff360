/** Lists the experiments, with the reasons for their decisions. */
import { plain } from '../base/markdown.ts';
import { counted, formatValue } from '../base/text.ts';
import type { Decision } from '../experiments/experiment.ts';
import { decisionScope, type ExperimentRow } from '../experiments/ledger.ts';
import { flagged } from './claims.ts';
import type { QuestionFacts } from './facts.ts';
import { bounded, type Mentions } from './mentions.ts';
import { bestIn, decisionOf, type Night } from './night.ts';

interface Group {
  readonly decision: Decision | undefined;
  readonly name: string;
  readonly max: number;
}

const groups: readonly Group[] = [
  { decision: 'keep', name: 'kept', max: 8 },
  { decision: 'discard', name: 'discarded', max: 6 },
  { decision: 'reference', name: 'for reference', max: 10 },
  { decision: 'crash', name: 'crashed', max: 3 },
  { decision: 'invalid', name: 'invalid', max: 3 },
  { decision: 'retest', name: 'to be retested', max: 3 },
  { decision: undefined, name: 'undecided', max: 10 },
];

const deciders = { agent: 'the agent', engine: 'Helios', person: 'you' } as const;

export function triedPart(night: Night, mentions: Mentions): string {
  const { experiments } = night.facts.ledger;
  if (experiments.length === 0) return '## What was tried\n\nThere were no runs.';
  const byDecision = Map.groupBy(experiments, decisionOf);
  const filled = groups.flatMap((group) => {
    const of = byDecision.get(group.decision) ?? [];
    return of.length === 0 ? [] : [{ ...group, of: bestFirst(night, of) }];
  });
  const counts = filled.map(({ of, name }) => `${of.length} ${name}`).join(', ');
  const parts = filled.map(({ name, max, of }) => {
    const lines = bounded(of, max, name, (row) => experimentLine(night, row, mentions));
    return `### ${capital(name)} (${of.length})\n\n${lines.join('\n')}`;
  });
  return `## What was tried\n\n${counted(experiments.length, 'experiment')}: ${counts}.\n\n${parts.join('\n\n')}`;
}

function bestFirst(night: Night, rows: readonly ExperimentRow[]): readonly ExperimentRow[] {
  const ranked = rows.map((row) => ({ row, value: bestIn(night, row)?.value }));
  return ranked.sort((a, b) => night.compare(a.value, b.value)).map(({ row }) => row);
}

function experimentLine(night: Night, row: ExperimentRow, mentions: Mentions): string {
  const { plan, id, hypothesis, runs } = row;
  const quoted = `“${flagged(hypothesis, night.known, 240)}”`;
  const name =
    plan === undefined ? plain(hypothesis, 100) : `${mentions.experimentPlace(id)} ${quoted}`;
  const best = bestIn(night, row);
  const metric = plain(night.facts.ledger.decisive?.metric ?? '');
  const value =
    best === undefined
      ? ''
      : ` · ${metric} ${formatValue(best.value)} in ${mentions.run(best.row.number)}`;
  const others = runs.filter((run) => run !== best?.row).map(({ number }) => number);
  const more =
    others.length === 0 ? '' : ` · ${best === undefined ? '' : 'also '}${mentions.runs(others, 4)}`;
  return `- ${name}${value}${more}${whyText(night, row)}`;
}

function whyText({ known }: Night, { decision, verdicts, runs }: ExperimentRow): string {
  if (decision === undefined)
    return runs.length === 0 ? ' · no runs' : ` · ${plain(verdicts, 120)}`;
  const { by, why } = decision;
  return ` · ${deciders[by]}${decisionScope(decision)}: ${by === 'agent' ? `“${flagged(why, known, 300)}”` : plain(why, 300)}`;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * Lists what the user has to decide: why the session waits, open questions, and undecided
 * experiments.
 */
export function decidePart(night: Night, mentions: Mentions): string {
  const { facts, known } = night;
  const { session, questions, ledger } = facts;
  const stuck =
    session.stuck === undefined
      ? []
      : [`- The session waits for you: “${flagged(session.stuck, known, 500)}”`];
  const open = questions.filter(({ answer }) => answer === undefined);
  const undecided = ledger.experiments.filter(
    (row) => row.plan !== undefined && row.status === 'over' && decisionOf(row) === undefined,
  );
  const lines = [
    ...stuck,
    ...bounded(open, 20, 'open questions', questionLine),
    // Same order as in the list of experiments, so that the experiments linked here are in that
    // list even if it is truncated.
    ...bounded(bestFirst(night, undecided), 10, 'undecided experiments', ({ id }) => {
      return `- ${mentions.experiment(id)} is undecided: keep or discard?`;
    }),
  ];
  return lines.length === 0 ? '' : `## To decide\n\n${lines.join('\n')}`;
}

const questionLine = ({ id, text, fallback }: QuestionFacts): string =>
  `- Question ${plain(id)}: “${plain(text, 500)}” Without an answer: ${plain(fallback, 200)}`;
