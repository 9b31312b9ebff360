import * as z from 'zod';
import { ToolFailure } from '../../base/errors.ts';
import {
  objectiveOf,
  targetText,
  type Condition,
  type Target,
} from '../../experiments/target/target.ts';
import { defineTool, type Tool } from '../tool.ts';

/**
 * Records the target of the session. Resolves with a text that repeats the recorded target. Rejects
 * with `ToolFailure` if the target contradicts the goal, the user's target, or the metrics that the
 * runs print.
 */
export type TargetSetter = (target: Target) => Promise<string>;

const condition = z.strictObject({
  metric: z.string().min(1).describe('As the runs print it.'),
  comparator: z.enum(['<', '<=', '>', '>=']),
  value: z.number().describe('With relative, the factor of the baseline.'),
  percent: z.boolean().default(false),
  relative: z.boolean().default(false).describe('"20 times faster": time <= 0.05, relative.'),
  over: z.enum(['one_run', 'mean', 'worst']).default('one_run'),
  seeds: z.array(z.int()).max(1000).optional(),
});

const parameters = z.strictObject({
  conditions: z
    .array(condition)
    .max(8)
    .default([])
    .describe('All must hold. Empty for "the best that can be found".'),
  metric: z
    .string()
    .min(1)
    .optional()
    .describe('Ranks runs. Default: that of the first condition.'),
  direction: z.enum(['lower', 'higher']).optional().describe('Which values are better.'),
  value: z
    .enum(['last', 'best'])
    .default('last')
    .describe('best only for early stopping or best checkpoints.'),
});

export const setTarget = (set: TargetSetter): Tool =>
  defineTool({
    name: 'set_target',
    description:
      'State what the goal asks for, in your first turns, if no target was read from it or the reading is wrong: the metric that decides (on validation or test data if the goal says so) and the numbers. Rankings, results and finish follow it.',
    effect: 'read',
    isQuiet: true,
    isRepeatable: true,
    parameters,
    normalize: conditionInside,
    describe: (input) => {
      const target = targetOf(input);
      return target === undefined ? 'Set the target' : `Set the target: ${targetText(target)}`;
    },
    async execute(input) {
      const target = targetOf(input);
      if (target === undefined)
        throw new ToolFailure('Nothing was set: give conditions, or metric and direction.');
      return { content: await set(target) };
    },
  });

/** Returns the target; `undefined` if its metric or its better direction is missing. */
function targetOf({
  conditions,
  metric,
  direction,
  value,
}: z.infer<typeof parameters>): Target | undefined {
  const stated = conditions.map(conditionOf);
  const usual = objectiveOf(
    metric === undefined ? stated : stated.filter((one) => one.metric === metric),
  );
  const name = metric ?? usual?.metric;
  const better = direction ?? (usual ?? objectiveOf(stated))?.direction;
  if (name === undefined || better === undefined) return undefined;
  return { conditions: stated, objective: { metric: name, direction: better }, rule: value };
}

/**
 * Moves the arguments of a single condition, which some models write next to the other arguments,
 * into the list of conditions.
 */
function conditionInside(
  input: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (!('comparator' in input) || 'conditions' in input) return input;
  const {
    comparator,
    value,
    aggregate,
    over = aggregate,
    percent,
    relative,
    seeds,
    ...rest
  } = input;
  const given = { metric: rest.metric, comparator, value, over, percent, relative, seeds };
  const defined = Object.entries(given).filter(([, one]) => one !== undefined);
  return { ...rest, conditions: [Object.fromEntries(defined)] };
}

const conditionOf = ({
  percent,
  relative,
  over,
  seeds,
  ...one
}: z.infer<typeof condition>): Condition => ({
  metric: one.metric,
  comparator: one.comparator,
  value: one.value,
  ...(percent && { isPercent: true }),
  ...(relative && { isRelative: true }),
  ...(over !== 'one_run' && { over }),
  ...(seeds !== undefined && seeds.length > 0 && { seeds }),
});
