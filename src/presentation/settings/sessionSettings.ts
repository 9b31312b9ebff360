/** Settings for how sessions work, when they resume, and how long they are stored. */
import * as z from 'zod';
import type { EngineSettings } from '../../agent/contract/settings.ts';
import { variablePattern } from '../../machines/environment/variables.ts';
import { defaultPlateau } from '../../watchdogs/plateauSettings.ts';
import { watchdogSettingsSchema } from '../../watchdogs/settings.ts';
import { amount, choice, count, flag, limit, structure, text, type Setting } from './setting.ts';

export const sessionSettings = {
  'permissions.mode': choice<EngineSettings['permissionMode']>({
    default: 'ask',
    description: 'Permission for the agent to run commands and to change files.',
    values: {
      ask: 'Ask you in a notification and in the chat; you can approve once, for the session, for the folder or always. Without an answer within ten minutes the request is denied, and Helios tries another way.',
      mandate:
        'Run what the mandate covers without asking: work in the working folder, its worktrees, the folders of runs and caches, installs into an environment of the folder, and downloads from package indexes and hubs. Refuse everything else without asking, and continue. Intended for unattended goals.',
      allow:
        'Run without asking. Intended for an environment that you can afford to lose, such as a container or a virtual machine.',
    },
    scope: 'machine',
    engine: 'permissionMode',
    option: '--mode',
  }),
  'git.protect': flag(true, {
    description:
      'Prevent commands and runs of a session from changing your Git repositories; they can still read them. Code is changed in worktrees of experiments. When disabled, nothing prevents the agent from a `git reset` in your checkout.',
    scope: 'machine',
    engine: 'protectsGit',
  }),
  'run.confinement': choice<NonNullable<EngineSettings['confinement']>>({
    default: 'auto',
    description:
      'Confinement of commands and runs of the agent with bubblewrap. They can then write only to the working folder, the worktrees of the session, usual caches, and folders that `machines.json` lists. They see no keys. If the mandate or `machines.json` lists hosts, they reach only these hosts. Commands in containers are confined by the container.',
    values: {
      auto: 'Confine commands and runs in the permission mode `mandate`, on machines where bubblewrap starts.',
      always: 'Confine all commands and runs. Where bubblewrap does not start, nothing is run.',
      never:
        'Confine commands and runs only on machines whose entry in `machines.json` requires it.',
    },
    scope: 'machine',
    engine: 'confinement',
    isPreference: true,
  }),
  'run.passEnvironment': structure<readonly string[]>({
    default: [],
    none: [],
    description:
      'Environment variables that runs on this computer get, in addition to those of data and tracking services (`WANDB_*`, `HF_TOKEN`, `AWS_*`, `COMET_*`, `MLFLOW_*`, `NEPTUNE_*`, `CLEARML_*` and others). Only variables with keys, tokens and passwords need to be listed; an asterisk at the end of a name stands for any text. Foreground commands never get them, and keys of models such as `OPENAI_API_KEY` are never passed. For other machines, list variables under `passEnvironment` in `machines.json`.',
    schema: z.array(z.string().regex(variablePattern)),
    written: z.array(z.string().regex(variablePattern)),
    scope: 'machine',
    engine: 'passEnvironment',
    isPreference: true,
  }),
  'git.maxFileMb': amount({
    default: 10,
    exclusiveMinimum: 0,
    description:
      'Maximum size in megabytes of a new or changed file that is stored with the code of an experiment. Larger files are not stored, but listed.',
    engine: 'maxKeptFileBytes',
    toEngine: (megabytes) => megabytes * 1_000_000,
  }),
  'session.idleTurns': count({
    default: 8,
    minimum: 1,
    description:
      'Number of consecutive replies without a tool call after which a session ends for lack of progress. A turn with tool calls that brings no new run, changed file or memory note counts as a sixth of a reply.',
    engine: 'idleTurns',
  }),
  'session.plateauExperiments': count({
    default: defaultPlateau.experiments,
    minimum: 0,
    description:
      'Number of consecutive experiments that do not improve on the best one by more than noise, after which the agent is advised to change its strategy. `0` turns the detection of plateaus off.',
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
  watchdogs: structure<NonNullable<EngineSettings['watchdogs']>>({
    default: {},
    description:
      'Checks of every run, each with its action: `off`, `warn` (tell the agent), `ask` (ask you) or `kill` (end the run). By default a run is killed when its training loss becomes NaN or infinite, or when a validation loss or the deciding metric stays NaN or infinite; every other check warns. The `watchdogs` of a `helios.json` take precedence.',
    schema: watchdogSettingsSchema,
    engine: 'watchdogs',
  }),
  'session.keepRunning': choice({
    default: 'never',
    description:
      'Behavior of sessions when VS Code closes or crashes. In the background, no user can answer: the mandate applies instead of the permission mode `ask`. Models of VS Code itself answer only while a window is open.',
    values: {
      never:
        'Wait for the next window, unless **Helios: Keep Running in Background** was run for the session.',
      always: 'Continue in a background process until the session ends or a window takes it back.',
    },
    scope: 'application',
  }),
  'session.resume': choice({
    default: 'always',
    description:
      'Action on sessions of this folder that a reload, a crash or a restart interrupted.',
    values: {
      always: 'Resume them automatically.',
      ask: 'Ask once, when the window opens.',
      never:
        'Leave them in the Experiments view until you resume them. Their runs continue in any case.',
    },
    scope: 'application',
  }),
  'session.keepAwake': flag(false, {
    description:
      'Keep the computer awake while a session works or waits. A closed lid or an empty battery still puts it to sleep. In WSL, Windows is kept awake; in a remote window, the host is, not the computer with the window. Nothing is kept awake from a container or a codespace.',
    engine: 'keepAwake',
  }),
  'chat.followMinutes': amount({
    default: 30,
    minimum: 1,
    maximum: 1440,
    description:
      'Minutes after which `@helios` stops showing a session in the chat. The session continues; **Follow** shows it again.',
  }),
} satisfies Readonly<Record<string, Setting>>;

export const storageSettings = {
  home: text({
    description:
      'Absolute path of the folder for sessions, runs and memory. When empty, `HELIOS_HOME` of the environment is used if it is set, otherwise `~/.helios`. Takes effect after the window is reloaded.',
    scope: 'machine',
    option: '--home',
    variable: 'HELIOS_HOME',
  }),
  'retention.maxAgeDays': limit({
    description:
      'Maximum age of a session in days, counted from its last event. When a window opens, older sessions are removed with their runs on every machine. Sessions that have not ended, are open, have an active run, or were marked with `helios clean --keep` are not removed. `0` means no limit.',
    scope: 'application',
  }),
  'retention.maxGb': limit({
    description:
      'Maximum size of all sessions on this computer in gigabytes. When a window opens, the oldest sessions are removed until the others fit. `0` means no limit.',
    scope: 'application',
  }),
} satisfies Readonly<Record<string, Setting>>;
