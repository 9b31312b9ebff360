/**
 * Settings of the watchdogs: the defaults, overlaid with the user's settings and then with the
 * project's settings.
 */
import * as z from 'zod';

/**
 * - `off`: not watched
 * - `warn`: the alarm is recorded and wakes a sleeping agent
 * - `ask`: the same, and the user is asked whether the run may continue
 * - `kill`: the run is ended
 */
export const watchActions = ['off', 'warn', 'kill', 'ask'] as const;
export type WatchAction = (typeof watchActions)[number];

export const watchKinds = [
  'non_finite',
  'divergence',
  'throughput',
  'silence',
  'disk',
  'gpu_idle',
] as const;
export type WatchKind = (typeof watchKinds)[number];

const action = z
  .enum(watchActions)
  .describe('Action: nothing, a warning, the end of the run, or a question.');
const minutes = z.number().positive().max(10_080);
const metricNames = z.array(z.string().min(1)).max(50);

/** Schema of an object of optional thresholds, or of the action alone. */
const kind = <Shape extends z.ZodRawShape>(what: string, shape: Shape) =>
  z
    .union([
      action.transform((alone) => ({ action: alone })),
      z.strictObject({ action: action.optional(), ...shape }),
    ])
    .describe(what);

/**
 * The settings in the form that a user writes. Every part is optional. The short form
 * `"divergence": "kill"` sets only the action.
 */
export const watchdogSettingsSchema = z.strictObject({
  non_finite: kind('A metric became NaN or infinite.', {
    metrics: metricNames
      .optional()
      .describe(
        'Metrics that the action applies to; any other only warns. Default: the deciding metric, and losses.',
      ),
  }).optional(),
  divergence: kind('A metric left its own range for the worse, and stays away.', {
    deviations: z
      .number()
      .min(3)
      .max(1000)
      .optional()
      .describe('Distance from the median, in median absolute deviations.'),
    warmupPoints: z
      .int()
      .min(10)
      .max(1_000_000)
      .optional()
      .describe('Points before a metric is judged.'),
    forPoints: z.int().min(1).max(10_000).optional().describe('Points in a row out of range.'),
    metrics: metricNames
      .optional()
      .describe('Metrics to watch. Default: the deciding metric, and losses.'),
  }).optional(),
  throughput: kind('The run became much slower than it was.', {
    belowPercent: z
      .number()
      .positive()
      .max(90)
      .optional()
      .describe('Percentage of the median speed of the run below which it is slow.'),
    minutes: minutes.optional().describe('Minutes that it must last.'),
  }).optional(),
  silence: kind('The run prints nothing.', {
    minutes: minutes.optional().describe('Minutes that it must last.'),
  }).optional(),
  disk: kind('A disk of the machine of the run is nearly full.', {
    belowPercent: z
      .number()
      .positive()
      .max(50)
      .optional()
      .describe(
        'Percentage of free space, below which the disk is nearly full if belowGb applies, too.',
      ),
    belowGb: z
      .number()
      .positive()
      .max(10_000)
      .optional()
      .describe(
        'Gigabytes of free space, below which the disk is nearly full if belowPercent applies, too.',
      ),
  }).optional(),
  gpu_idle: kind('The GPUs of the run do nothing.', {
    belowPercent: z
      .number()
      .positive()
      .max(100)
      .optional()
      .describe('Utilization in percent, below which each of them is idle.'),
    minutes: minutes.optional().describe('Minutes that it must last.'),
  }).optional(),
});

/** Parsed settings, in which the short form is replaced by `{ action }`. */
export type WatchdogSettings = z.output<typeof watchdogSettingsSchema>;

/** All thresholds of all kinds. */
export interface WatchdogPolicy {
  readonly non_finite: {
    readonly action: WatchAction;
    readonly metrics?: readonly string[] | undefined;
  };
  readonly divergence: DivergencePolicy;
  readonly throughput: {
    readonly action: WatchAction;
    readonly belowPercent: number;
    readonly minutes: number;
  };
  readonly silence: { readonly action: WatchAction; readonly minutes: number };
  readonly disk: {
    readonly action: WatchAction;
    readonly belowPercent: number;
    readonly belowGb: number;
  };
  readonly gpu_idle: {
    readonly action: WatchAction;
    readonly belowPercent: number;
    readonly minutes: number;
  };
}

export interface DivergencePolicy {
  readonly action: WatchAction;
  readonly deviations: number;
  readonly warmupPoints: number;
  readonly forPoints: number;
  readonly metrics?: readonly string[] | undefined;
}

/** Default thresholds. Only problems that never occur in a healthy run end the run by default. */
export const defaultPolicy: WatchdogPolicy = {
  non_finite: { action: 'kill' },
  divergence: { action: 'warn', deviations: 8, warmupPoints: 50, forPoints: 8 },
  throughput: { action: 'warn', belowPercent: 25, minutes: 5 },
  silence: { action: 'warn', minutes: 30 },
  disk: { action: 'warn', belowPercent: 5, belowGb: 5 },
  gpu_idle: { action: 'warn', belowPercent: 5, minutes: 15 },
};

/**
 * Returns the defaults overlaid with each of `layers` in order: the settings of the user, then
 * those of the project.
 */
export function policyOf(...layers: readonly (WatchdogSettings | undefined)[]): WatchdogPolicy {
  const said = <Kind extends WatchKind>(name: Kind): WatchdogPolicy[Kind] =>
    Object.assign(
      { ...defaultPolicy[name] },
      ...layers.map((layer) => layer?.[name]),
    ) as WatchdogPolicy[Kind];
  return {
    non_finite: said('non_finite'),
    divergence: said('divergence'),
    throughput: said('throughput'),
    silence: said('silence'),
    disk: said('disk'),
    gpu_idle: said('gpu_idle'),
  };
}
