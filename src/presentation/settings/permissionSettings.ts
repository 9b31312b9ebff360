/** Settings for what the agent, its commands and its runs may do. */
import * as z from 'zod';
import type { EngineSettings } from '../../agent/contract/settings.ts';
import { variablePattern } from '../../machines/environment/variables.ts';
import { choice, flag, structure, type Setting } from './setting.ts';

const hostPattern = /^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:\d+)?$/i;
const isHost = (value: unknown): boolean => typeof value === 'string' && hostPattern.test(value);

export const permissionSettings = {
  'permissions.mode': choice<EngineSettings['permissionMode']>({
    default: 'ask',
    description: 'Permission for the agent to run commands and to change files.',
    details:
      'In the mode `ask`, Helios asks in a notification and in the chat; you can approve once, for the session, for the folder or always. In the mode `mandate`, work in the working folder, its worktrees, the folders of runs and caches, installs into an environment of the folder, and downloads from package indexes and hubs are covered.',
    values: {
      ask: 'Ask you. Without an answer within ten minutes the request is denied, and Helios tries another way.',
      mandate:
        'Run what the mandate covers, such as work in the working folder, without asking. Refuse everything else. Intended for unattended goals.',
      allow:
        'Run without asking. Intended for an environment that you can afford to lose, such as a container or a virtual machine.',
    },
    scope: 'machine',
    engine: 'permissionMode',
    option: '--mode',
  }),
  'git.protect': flag(true, {
    description:
      'Prevent commands and runs of a session from changing your Git repositories; they can still read them.',
    details:
      'Code is changed in worktrees of experiments. When disabled, nothing prevents the agent from a `git reset` in your checkout.',
    scope: 'machine',
    engine: 'protectsGit',
  }),
  'run.confinement': choice<NonNullable<EngineSettings['confinement']>>({
    default: 'auto',
    description:
      'Confinement of commands and runs with bubblewrap: they write only to the working folder, worktrees and usual caches, and see no keys.',
    details:
      'They can also write to the folders that `machines.json` lists. If the mandate or `machines.json` lists hosts, they reach only these hosts. Commands in containers are confined by the container.',
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
      'Environment variables with keys, tokens or passwords that runs on this computer get, beside those of data and tracking services (such as `HF_TOKEN`).',
    details:
      'The variables of data and tracking services are `WANDB_*`, `HF_TOKEN`, `AWS_*`, `COMET_*`, `MLFLOW_*`, `NEPTUNE_*`, `CLEARML_*` and others. Only variables with keys, tokens and passwords need to be listed; an asterisk at the end of a name stands for any text. Foreground commands never get them, and keys of models such as `OPENAI_API_KEY` are never passed. For other machines, list variables under `passEnvironment` in `machines.json`.',
    schema: z.array(z.string().regex(variablePattern)),
    written: z.array(z.string().regex(variablePattern)),
    scope: 'machine',
    engine: 'passEnvironment',
    isPreference: true,
  }),
  'web.allowedHosts': {
    ...structure<readonly string[]>({
      default: [],
      none: [],
      description:
        'Hosts from which the agent may fetch any page without asking, in every permission mode: `arxiv.org`, or `*.arxiv.org` for the hosts below it.',
      details:
        'Without an entry, a URL that the agent composed after it had read text of others needs an approval.',
      schema: z.array(z.string().regex(hostPattern)),
      written: z.array(z.string().regex(hostPattern)),
      scope: 'application',
      engine: 'web.allowedHosts',
      isPreference: true,
    }),
    // Omit texts that are not valid hosts, so that they allow nothing.
    toEngine: (hosts) => z.array(z.unknown()).catch([]).parse(hosts).filter(isHost),
  },
  'web.allowPrivateAddresses': flag(false, {
    description:
      'Allow the agent to fetch addresses of private networks and of this computer. Web pages could make it send requests to services there.',
    scope: 'machine',
    engine: 'web.allowsPrivateAddresses',
    isPreference: true,
  }),
} satisfies Readonly<Record<string, Setting>>;
