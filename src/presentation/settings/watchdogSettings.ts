/** Settings for the checks of runs and for the detection of plateaus. */
import type { EngineSettings } from '../../agent/contract/settings.ts';
import { defaultPlateau } from '../../watchdogs/plateauSettings.ts';
import { watchdogSettingsSchema } from '../../watchdogs/settings.ts';
import { choice, count, structure, type Setting } from './setting.ts';

export const watchdogSettings = {
  watchdogs: structure<NonNullable<EngineSettings['watchdogs']>>({
    default: {},
    description:
      'Checks of every run, each with its action: `off`, `warn` (tell the agent), `ask` (ask you) or `kill` (end the run).',
    details:
      'By default a run is killed when its training loss becomes NaN or infinite, or when a validation loss or the deciding metric stays NaN or infinite; every other check warns. The `watchdogs` of a `helios.json` take precedence.',
    schema: watchdogSettingsSchema,
    engine: 'watchdogs',
  }),
  'session.plateauExperiments': count({
    default: defaultPlateau.experiments,
    minimum: 0,
    description:
      'Number of consecutive experiments without improvement beyond noise after which the agent is advised to change its strategy. `0` means never.',
    engine: 'plateau.experiments',
  }),
  'session.onPlateau': choice({
    default: defaultPlateau.onPlateau,
    description:
      'Action when `#helios.session.plateauExperiments#` consecutive experiments brought no improvement.',
    values: {
      advise: 'Advise the agent and continue the session.',
      end: 'Advise the agent, and end the session after `2 × plateauExperiments` consecutive experiments without improvement.',
    },
    engine: 'plateau.onPlateau',
  }),
} satisfies Readonly<Record<string, Setting>>;
