/** Settings for the limits of goals, experiments and days. */
import { countLimit, limit, amount, type Setting } from './setting.ts';

const noLimit = '`0` means no limit.';

const atExperimentLimit =
  'At the limit the model is notified once and has a few turns to judge the experiment and launch the next one; runs continue.';
const untilNext = 'from its launch to the next launch';
const atDayLimit =
  'A day lasts from midnight to midnight, and counts every window and terminal with the same home folder. At the limit no more model calls are made and sessions end with the reason `budget`; runs continue.';

export const budgetSettings = {
  'budget.usd': amount({
    default: 5,
    none: 0,
    minimum: 0,
    description: `Maximum cost of a goal in US dollars, checked before each model call. ${noLimit} **Helios: Start Goal** suggests this value.`,
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
    description: `Minutes after which every run is ended with the verdict _time limit_. ${noLimit}`,
    details:
      'The limit applies to every point of a sweep, too, whatever the agent asks for. If a `helios.json` has `runMinutes`, too, the lower value applies.',
    scope: 'application',
    engine: 'runMinutes',
    isPreference: true,
  }),
  'budget.experiment.usd': limit({
    description: `Maximum cost of the model calls of one experiment, in US dollars, ${untilNext}. ${noLimit}`,
    details: atExperimentLimit,
    scope: 'application',
    option: '--budget-experiment',
  }),
  'budget.experiment.minutes': limit({
    description: `Maximum duration of one experiment in minutes, ${untilNext}, runs included. ${noLimit}`,
    details: `The limit also ends a sleep. ${atExperimentLimit}`,
    scope: 'application',
    option: '--budget-experiment',
  }),
  'budget.experiment.turns': countLimit({
    description: `Maximum number of model calls of one experiment, ${untilNext}. ${noLimit}`,
    details: atExperimentLimit,
    scope: 'application',
    option: '--budget-experiment',
  }),
  'budget.experiment.tokens': countLimit({
    description: `Maximum number of tokens of one experiment, ${untilNext}. ${noLimit}`,
    details: atExperimentLimit,
    scope: 'application',
    option: '--budget-experiment',
  }),
  'budget.day.usd': limit({
    description: `Maximum cost of the model calls of all goals per day, in US dollars, in all windows and terminals. ${noLimit}`,
    details: atDayLimit,
    scope: 'application',
    engine: 'dayLimits.usd',
    isPreference: true,
    option: '--budget-day',
  }),
  'budget.day.tokens': countLimit({
    description: `Maximum number of tokens of all goals per day, in all windows and terminals. ${noLimit}`,
    details: atDayLimit,
    scope: 'application',
    engine: 'dayLimits.tokens',
    isPreference: true,
    option: '--budget-day',
  }),
} satisfies Readonly<Record<string, Setting>>;
