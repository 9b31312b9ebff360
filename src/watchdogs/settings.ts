/**
 * Settings of the watchdogs: the defaults, overlaid with the user's settings and then with the
 * project's settings.
 */
import * as z from 'zod';

/**
 * - `off`: not watched
 * - `warn`: the alarm is recorded and wakes a sleeping agent
 * - `ask`: like `warn`, and the user is asked whether the run may continue
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
  .describe('Action: off (no check), warn (tell the agent), ask (ask you) or kill (end the run).');
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
        'Metrics that the action applies to; other metrics only cause a warning. Default: losses, and the metric that decides which run is best.',
      ),
  }).optional(),
  divergence: kind(
    'A metric became much worse than its previous range, and does not return to it.',
    {
      deviations: z
        .number()
        .min(3)
        .max(1000)
        .optional()
        .describe(
          'Distance from the median at which a value is out of range, in median absolute deviations.',
        ),
      warmupPoints: z
        .int()
        .min(10)
        .max(1_000_000)
        .optional()
        .describe('Number of points that a metric must have before it is checked.'),
      forPoints: z
        .int()
        .min(1)
        .max(10_000)
        .optional()
        .describe('Minimum number of consecutive points out of range for an alarm.'),
      metrics: metricNames
        .optional()
        .describe(
          'Metrics to watch. Default: losses, and the metric that decides which run is best.',
        ),
    },
  ).optional(),
  throughput: kind('The run became much slower than it was.', {
    belowPercent: z
      .number()
      .positive()
      .max(90)
      .optional()
      .describe('Percentage of the median speed of the run below which it is slow.'),
    minutes: minutes.optional().describe('Minutes for which the run must stay slow.'),
  }).optional(),
  silence: kind('The run prints nothing.', {
    minutes: minutes.optional().describe('Minutes without output.'),
  }).optional(),
  disk: kind('A disk of the machine of the run is nearly full.', {
    belowPercent: z
      .number()
      .positive()
      .max(50)
      .optional()
      .describe(
        'Percentage of free space below which the disk is nearly full. The free space must also be below belowGb.',
      ),
    belowGb: z
      .number()
      .positive()
      .max(10_000)
      .optional()
      .describe(
        'Gigabytes of free space below which the disk is nearly full. The free space must also be below belowPercent.',
      ),
  }).optional(),
  gpu_idle: kind('The GPUs of the run are idle.', {
    belowPercent: z
      .number()
      .positive()
      .max(100)
      .optional()
      .describe(
        'Utilization in percent below which a GPU is idle. All GPUs of the run must be idle.',
      ),
    minutes: minutes.optional().describe('Minutes for which the GPUs must be idle.'),
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
  const overlaid = <Kind extends WatchKind>(name: Kind): WatchdogPolicy[Kind] =>
    Object.assign(
      { ...defaultPolicy[name] },
      ...layers.map((layer) => layer?.[name]),
    ) as WatchdogPolicy[Kind];
  return {
    non_finite: overlaid('non_finite'),
    divergence: overlaid('divergence'),
    throughput: overlaid('throughput'),
    silence: overlaid('silence'),
    disk: overlaid('disk'),
    gpu_idle: overlaid('gpu_idle'),
  };
}
