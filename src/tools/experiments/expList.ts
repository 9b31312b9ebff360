import * as z from 'zod';
import { counted, oneLine } from '../../base/text.ts';
import { findMetric } from '../../metrics/metricName.ts';
import { defineTool, type Tool } from '../tool.ts';

/** An experiment of this session or of an earlier one, or an imported result. */
export interface ListedExperiment {
  /** `e7`, `SESSION#e7` for another session, or `i1#3` for an imported result. */
  readonly id: string;
  readonly hypothesis: string;
  readonly command: string;
  readonly decision: string;
  readonly why: string;
  readonly metric: string | null;
  readonly value: number | null;
  readonly direction: 'lower' | 'higher' | null;
  readonly result: string;
  readonly runs: string;
  readonly startedMs: number;
  /** Goal of the session; omitted for this session. */
  readonly goal?: string;
}

export const listScopes = ['session', 'folder', 'all', 'imported'] as const;
export type ListScope = (typeof listScopes)[number];

export interface ExperimentLister {
  /**
   * Resolves with the experiments of this session, of this working folder, or of all sessions, or
   * with the imported results.
   */
  experiments(scope: ListScope): Promise<readonly ListedExperiment[]>;
}

const parameters = z.strictObject({
  scope: z.enum(listScopes).default('session').describe('all: every session. Default: session.'),
  text: z.string().min(1).optional().describe('Words in hypothesis, command, reason or goal.'),
  decision: z.string().min(1).optional().describe('Such as keep.'),
  metric: z.string().min(1).optional().describe('Sorts by it.'),
  limit: z.int().min(1).max(100).default(20).meta({ hidden: true }),
  skip: z.int().min(0).default(0).meta({ hidden: true }),
});
type Args = z.output<typeof parameters>;

export const expList = (lister: ExperimentLister): Tool =>
  defineTool({
    name: 'exp_list',
    description:
      'List experiments, best first, invalid last: id, decision, result, runs. Tools that read runs take all these ids.',
    effect: 'read',
    countedAs: 'result',
    parameters,
    aliases: { query: 'text', status: 'decision', offset: 'skip' },
    describe: ({ scope }) =>
      scope === 'imported'
        ? 'Listed the imported results'
        : `Listed the experiments of ${{ session: 'this session', folder: 'this folder', all: 'all sessions' }[scope]}`,
    async execute(args) {
      const matches = (await lister.experiments(args.scope)).filter(matching(args));
      const found = sorted(matches.filter(hasMetric(args)), args);
      const lacking = matches.filter((one) => !found.includes(one));
      const shown = found.slice(args.skip, args.skip + args.limit);
      const left = found.length - args.skip - shown.length;
      // Texts of this session are the model's own.
      const [name, origin] =
        args.scope === 'imported'
          ? (['imported', 'imported files, not measured by Helios'] as const)
          : (['other_sessions', 'earlier sessions'] as const);
      const isOwn = ({ goal }: ListedExperiment): boolean =>
        args.scope !== 'imported' && goal === undefined;
      const own = shown.filter(isOwn);
      const others = shown.filter((one) => !isOwn(one));
      return {
        content: {
          total: found.length,
          ...(lacking.length > 0 && { without: lackingText(lacking, args) }),
          ...(own.length + others.length === 0 && { experiments: '' }),
          ...(own.length > 0 && { experiments: own.map(lineOf).join('\n') }),
          ...(others.length > 0 && { [name]: others.map(lineOf).join('\n') }),
          ...(left > 0 && { more: `${left}: call again with skip: ${args.skip + shown.length}` }),
        },
        ...(others.length > 0 && { origins: { [name]: origin } }),
        summary: `${counted(found.length, 'experiment')}${lacking.length === 0 ? '' : ` with ${args.metric}, ${lacking.length} without`}`,
      };
    },
  });

function matching({ text = '', decision = '' }: Args) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return (one: ListedExperiment): boolean => {
    const all = `${one.hypothesis}\n${one.command}\n${one.why}\n${one.goal ?? ''}`.toLowerCase();
    return (
      words.every((word) => all.includes(word)) &&
      one.decision.toLowerCase().startsWith(decision.toLowerCase())
    );
  };
}

const hasMetric =
  ({ metric: asked }: Args) =>
  ({ metric }: ListedExperiment): boolean =>
    asked === undefined || findMetric(asked, [metric ?? '']) !== undefined;

const maxLacking = 10;

/** Names the experiments without the metric: `2 have no loss: e3, e4`. */
function lackingText(lacking: readonly ListedExperiment[], { metric }: Args): string {
  const ids = lacking.slice(0, maxLacking).map(({ id }) => id);
  const rest = lacking.length > maxLacking ? ', …' : '';
  return `${lacking.length} ${lacking.length === 1 ? 'has' : 'have'} no ${metric}: ${ids.join(', ')}${rest}`;
}

/**
 * Sorts by the metric, or by the only metric of all, best first; those without a value after the
 * others. Without such a metric, newest first. What cannot support a result comes last.
 */
function sorted(found: readonly ListedExperiment[], { metric }: Args): readonly ListedExperiment[] {
  const metrics = new Set(found.flatMap((one) => one.metric ?? []));
  const isRanked = metric !== undefined || metrics.size === 1;
  const isHigher = found.some(({ direction }) => direction === 'higher');
  const rank = ({ value }: ListedExperiment): number =>
    !isRanked ? 0 : value === null ? Infinity : isHigher ? -value : value;
  return found.toSorted(
    (a, b) =>
      Number(isExcluded(a)) - Number(isExcluded(b)) ||
      (rank(a) === rank(b) ? b.startedMs - a.startedMs : rank(a) - rank(b)),
  );
}

/** Returns whether the experiment is decided invalid or crash, whatever it measured. */
const isExcluded = ({ decision }: ListedExperiment): boolean =>
  /^(?:invalid|crash)\b/.test(decision);

const maxGoalChars = 80;
const maxWhyChars = 160;

const lineOf = (one: ListedExperiment): string =>
  [
    one.id,
    isExcluded(one) ? reasoned(one) : one.decision,
    one.result,
    ...(one.runs === '' ? [] : [`its runs ${one.runs}`]),
    ...(one.hypothesis === '' ? [] : [one.hypothesis]),
    ...(one.command === one.hypothesis ? [] : [one.command]),
    ...(one.goal === undefined ? [] : [`its goal: ${one.goal.slice(0, maxGoalChars)}`]),
  ].join(' · ');

/** Returns the decision with its reason, unless the result says it: the source of an import. */
const reasoned = ({ decision, why, result }: ListedExperiment): string =>
  result.includes(why) ? decision : `${decision}: ${oneLine(why, maxWhyChars)}`;
