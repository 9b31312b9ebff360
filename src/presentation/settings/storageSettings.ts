/** Settings for what is stored, where and for how long. */
import { amount, limit, text, type Setting } from './setting.ts';

export const storageSettings = {
  home: text({
    description:
      'Absolute path of the folder for sessions, runs and memory. When empty, `~/.helios`. Takes effect after the window is reloaded.',
    details:
      'When the setting is empty and `HELIOS_HOME` of the environment is set, that folder is used.',
    scope: 'machine',
    option: '--home',
    variable: 'HELIOS_HOME',
  }),
  'retention.maxAgeDays': limit({
    description:
      'Maximum age of a session in days. When a window opens, older sessions are removed with their runs on every machine. `0` means no limit.',
    details:
      'The age is counted from the last event of the session. Sessions that have not ended, are open, have an active run, or were marked with `helios clean --keep` are not removed.',
    scope: 'application',
  }),
  'retention.maxGb': limit({
    description:
      'Maximum size of all sessions in gigabytes. When a window opens, the oldest sessions are removed until the others fit. `0` means no limit.',
    scope: 'application',
  }),
  'git.maxFileMb': amount({
    default: 10,
    exclusiveMinimum: 0,
    description:
      'Maximum size in megabytes of a new or changed file that is stored with the code of an experiment. Larger files are only listed.',
    engine: 'maxKeptFileBytes',
    toEngine: (megabytes) => megabytes * 1_000_000,
  }),
} satisfies Readonly<Record<string, Setting>>;
