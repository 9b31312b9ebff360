/**
 * Settings for plateaus: when experiments without improvement change the advice to the agent, and
 * when they end its session.
 */
import * as z from 'zod';

/** Action on a plateau that continues after the advice: none, or the end of the session. */
export const plateauActions = ['advise', 'end'] as const;

export const plateauSettingsSchema = z.strictObject({
  experiments: z
    .int()
    .min(0)
    .max(10_000)
    .optional()
    .describe(
      'Number of consecutive experiments that must fail to improve on the best experiment before a plateau is detected. 0: plateaus are not detected.',
    ),
  onPlateau: z
    .enum(plateauActions)
    .optional()
    .describe(
      'Action on a plateau: advise (advise the agent) or end (advise the agent, and end the session after 2 × `experiments` consecutive experiments without improvement).',
    ),
  noisePercent: z
    .number()
    .min(0)
    .max(50)
    .optional()
    .describe('Percentage of the best value below which an improvement is noise.'),
});

export type PlateauSettings = z.output<typeof plateauSettingsSchema>;

export interface PlateauPolicy {
  /** 0: never. */
  readonly experiments: number;
  readonly onPlateau: (typeof plateauActions)[number];
  readonly noisePercent: number;
}

export const defaultPlateau: PlateauPolicy = {
  experiments: 12,
  onPlateau: 'advise',
  noisePercent: 0.1,
};

/**
 * Returns the defaults overlaid with each of `layers` in order: the settings of the user, then
 * those of the project.
 */
export const plateauPolicyOf = (
  ...layers: readonly (PlateauSettings | undefined)[]
): PlateauPolicy => Object.assign({ ...defaultPlateau }, ...layers) as PlateauPolicy;
