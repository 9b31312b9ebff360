/** Settings for the limits of goals, experiments and days. */
import { countLimit, limit, amount, type Setting } from './setting.ts';

const noLimit = '`0` means no limit.';

const atExperimentLimit =
  'At the limit the model is notified once and has a few turns to judge the experiment and launch the next one; runs continue.';
const untilNext = 'from its launch to the launch of the next one';
const perDay =
  'per day, from midnight to midnight, in all windows and terminals that use the same home folder. At the limit no more model calls are made and sessions end with the reason `budget`; runs continue.';

export const budgetSettings = {
  'budget.usd': amount({
    default: 5,
    none: 0,
    minimum: 0,
    description: `Maximum cost of the model calls of a goal, in US dollars, checked before each call. ${noLimit} **Helios: Start Goal** suggests this value.`,
    scope: 'application',
    option: '--budget-usd',
  }),
  'budget.minutes': limit({
    description: `Maximum duration of a goal in minutes, sleeping included. Time in which the computer slept does not count. ${noLimit}`,
    scope: 'application',
    option: '--max-minutes',
  }),
  'budget.turns': countLimit({
    description: `Maximum number of model calls of a goal. ${noLimit}`,
    scope: 'application',
    option: '--max-turns',
  }),
  'budget.tokens': countLimit({
    description: `Maximum number of tokens of a goal: input, cached or not, and output together. ${noLimit}`,
    scope: 'application',
    option: '--budget-tokens',
  }),
  'run.minutes': limit({
    description: `Minutes after which every run, and every point of a sweep, is ended with the verdict _time limit_, whatever the agent asks for. If a \`helios.json\` has \`runMinutes\`, too, the lower value applies. ${noLimit}`,
    scope: 'application',
    engine: 'runMinutes',
    isPreference: true,
  }),
  'budget.experiment.usd': limit({
    description: `Maximum cost of the model calls of one experiment, in US dollars, ${untilNext}. ${atExperimentLimit} ${noLimit}`,
    scope: 'application',
    option: '--budget-experiment',
  }),
  'budget.experiment.minutes': limit({
    description: `Maximum duration of one experiment in minutes, ${untilNext}, its run included. The limit also ends a sleep. ${atExperimentLimit} ${noLimit}`,
    scope: 'application',
    option: '--budget-experiment',
  }),
  'budget.experiment.turns': countLimit({
    description: `Maximum number of model calls of one experiment, ${untilNext}. ${atExperimentLimit} ${noLimit}`,
    scope: 'application',
    option: '--budget-experiment',
  }),
  'budget.experiment.tokens': countLimit({
    description: `Maximum number of tokens of one experiment, ${untilNext}. ${atExperimentLimit} ${noLimit}`,
    scope: 'application',
    option: '--budget-experiment',
  }),
  'budget.day.usd': limit({
    description: `Maximum cost of the model calls of all goals, in US dollars ${perDay} ${noLimit}`,
    scope: 'application',
    engine: 'dayLimits.usd',
    isPreference: true,
    option: '--budget-day',
  }),
  'budget.day.tokens': countLimit({
    description: `Maximum number of tokens of all goals ${perDay} ${noLimit}`,
    scope: 'application',
    engine: 'dayLimits.tokens',
    isPreference: true,
    option: '--budget-day',
  }),
} satisfies Readonly<Record<string, Setting>>;
