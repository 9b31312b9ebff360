/** Lists the experiments, with the reasons for their decisions. */
import { code, plain } from '../base/markdown.ts';
import { counted } from '../base/text.ts';
import { branchOf, type Decision } from '../experiments/experiment.ts';
import {
  decisionScope,
  resultValueText,
  type ExperimentDecision,
  type ExperimentRow,
} from '../experiments/ledger.ts';
import { reproductionTexts } from '../experiments/reproductions.ts';
import { flagged } from './claims.ts';
import type { OpenWorkFacts, QuestionFacts } from './facts.ts';
import { bounded, runsName, type Mentions } from './mentions.ts';
import { decisionOf, type Night } from './night.ts';

interface Group {
  readonly decision: Decision | undefined;
  readonly name: string;
  readonly max: number;
}

const maxUndecided = 3;

const groups: readonly Group[] = [
  { decision: 'keep', name: 'kept', max: 3 },
  { decision: 'discard', name: 'discarded', max: 2 },
  { decision: 'reference', name: 'for reference', max: 1 },
  { decision: 'crash', name: 'crashed', max: 1 },
  { decision: 'invalid', name: 'invalid', max: 1 },
  { decision: 'retest', name: 'to be retested', max: 1 },
  { decision: undefined, name: 'undecided', max: maxUndecided },
];

const deciders = { agent: 'the agent', engine: 'Helios', person: 'you' } as const;

/** Maximum number of experiments for which all are listed, whatever their decision. */
const maxOfAll = 8;
const maxIds = 10;

export function triedPart(night: Night, mentions: Mentions): string {
  const { experiments } = night.facts.ledger;
  if (experiments.length === 0) return '## What was tried\n\nThere were no runs.';
  const byDecision = Map.groupBy(experiments, decisionOf);
  const filled = groups.flatMap((group) => {
    const of = byDecision.get(group.decision) ?? [];
    return of.length === 0 ? [] : [{ ...group, of: bestFirst(night, of) }];
  });
  const counts = filled.map(({ of, name }) => `${of.length} ${name}`).join(', ');
  const isShort = experiments.length <= maxOfAll;
  const shown = filled.map((group) => ({ ...group, max: isShort ? maxOfAll : group.max }));
  const lines = shown.flatMap(({ name, max, of }) =>
    of.slice(0, max).map((row) => experimentLine(night, row, { name, mentions })),
  );
  const rest = experiments.length - lines.length;
  const more = rest > 0 ? `\n- … and ${rest} more: ${shown.flatMap(omittedText).join(', ')}` : '';
  const runs = `[All ${counted(night.facts.runs.length, 'run')}](${runsName})`;
  return `## What was tried\n\n${counted(experiments.length, 'experiment')}: ${counts}. ${runs}\n\n${lines.join('\n')}${more}`;
}

/**
 * Returns how many experiments with this decision the report omits: `4 discarded`; for the decision
 * `keep` with their ids: `2 kept (e5, e6)`. Empty if none is omitted.
 */
function omittedText({
  decision,
  name,
  max,
  of,
}: Group & { readonly of: readonly ExperimentRow[] }): string[] {
  const omitted = of.slice(max);
  if (omitted.length === 0) return [];
  const ids = omitted.slice(0, maxIds).map(({ id }) => id);
  const rest = omitted.length > ids.length ? ', …' : '';
  return [`${omitted.length} ${name}${decision === 'keep' ? ` (${ids.join(', ')}${rest})` : ''}`];
}

const bestFirst = ({ compare }: Night, rows: readonly ExperimentRow[]): readonly ExperimentRow[] =>
  rows.toSorted((a, b) => compare(a.result?.mean, b.result?.mean));

interface Place {
  /** Outcome of the experiment in words: `kept`. */
  readonly name: string;
  readonly mentions: Mentions;
}

function experimentLine(night: Night, row: ExperimentRow, { name: fate, mentions }: Place): string {
  const { plan, id, hypothesis, runs, result } = row;
  const quoted = `“${flagged(hypothesis, night.known, 240)}”`;
  const name =
    plan === undefined ? plain(hypothesis, 100) : `${mentions.experimentPlace(id)} ${quoted}`;
  const numbers = (result?.runs ?? []).map(({ number }) => number);
  const value = result && ` · ${plain(resultValueText(result))} in ${mentions.runs(numbers, 3)}`;
  const others = runs.map(({ number }) => number).filter((number) => !numbers.includes(number));
  const more =
    others.length === 0
      ? ''
      : ` · ${value === undefined ? '' : 'also '}${mentions.runs(others, 3)}`;
  const again = reproductionTexts(row, night.facts.ledger.decisive)
    .map((text) => ` · ${plain(text)}`)
    .join('');
  const branch = plan && branchOf(plan.code, night.facts.session.id);
  const on = branch === undefined ? '' : ` · branch ${plain(branch)}`;
  return `- ${capital(fate)}: ${name}${on}${value ?? ''}${more}${whyText(night, row)}${again}`;
}

function whyText({ known }: Night, { decision, verdicts, runs }: ExperimentRow): string {
  if (decision === undefined)
    return runs.length === 0 ? ' · no runs' : ` · ${plain(verdicts, 120)}`;
  const own = runs.flatMap((row) => (row.decision?.runs === undefined ? [] : row.decision));
  const all = [...new Map([decision, ...own].map((one) => [decisionKey(one), one])).values()];
  return all
    .slice(0, maxDecisions)
    .map((one) => {
      const { by, why } = one;
      const reason = by === 'agent' ? `“${flagged(why, known, 300)}”` : plain(why, 300);
      const word = one.decision === decision.decision ? '' : `, ${one.decision}`;
      return ` · ${deciders[by]}${decisionScope(one)}${word}: ${reason}`;
    })
    .join('');
}

const maxDecisions = 3;
const decisionKey = ({ decision, runs = [], why }: ExperimentDecision): string =>
  JSON.stringify([decision, runs, why]);

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
  const [refused = [], open = []] = openQuestions(questions);
  const undecided = ledger.experiments.filter(
    (row) => row.plan !== undefined && row.status === 'over' && decisionOf(row) === undefined,
  );
  const lines = [
    ...stuck,
    ...bounded(open, 20, 'open questions', questionLine),
    // Same order as in the list of experiments, so that the experiments linked here are in that
    // list even if it is truncated.
    ...undecidedLine(bestFirst(night, undecided), mentions),
    ...bounded(facts.openWork ?? [], maxWorktrees, 'worktrees', openWorkLine),
    ...refusedLine(refused.length, session.id),
  ];
  return lines.length === 0 ? '' : `## To decide\n\n${lines.join('\n')}`;
}

const maxWorktrees = 2;

function openWorkLine({ machineId, path, branch, experiments, files }: OpenWorkFacts): string {
  const of = experiments.length === 0 ? '' : `, in which ${experiments.slice(-3).join(', ')} ran`;
  const is = files === 1 ? 'is' : 'are';
  return `- ${counted(files, 'file')} of branch ${plain(branch)} ${is} not committed, and no experiment stored ${files === 1 ? 'it' : 'them'}: ${code(path, 300)} on ${plain(machineId)}${of}.`;
}

/** Returns the open questions: those about refused calls, and those of the agent. */
function openQuestions(questions: readonly QuestionFacts[]): readonly QuestionFacts[][] {
  const open = questions.filter(({ answer }) => answer === undefined);
  return [true, false].map((isCall) =>
    open.filter((each) => (each.isRefusedCall ?? false) === isCall),
  );
}

const refusedLine = (count: number, sessionId: string): readonly string[] =>
  count === 0
    ? []
    : [
        `- ${counted(count, 'call')} ${count === 1 ? 'was' : 'were'} refused: \`helios actions ${sessionId}\`. What you allow in the inbox counts when the session continues.`,
      ];

function undecidedLine(rows: readonly ExperimentRow[], mentions: Mentions): string[] {
  if (rows.length === 0) return [];
  const links = rows.slice(0, maxUndecided).map(({ id }) => mentions.experiment(id));
  const rest = rows.length - links.length;
  return [
    `- Undecided: ${links.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}. Keep or discard?`,
  ];
}

const questionLine = ({ id, text, fallback }: QuestionFacts): string =>
  `- Question ${plain(id)}: “${plain(text, 500)}” Without an answer: ${plain(fallback, 200)}`;
