/** The questions for adding a machine, in the order in which they are asked. */
import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Uri, window, workspace } from 'vscode';
import { localPathFrom } from '../../compose/localPath.ts';
import type { MachinePlace } from '../../machines/machineEntry.ts';
import { parseMachineSpec } from '../../compose/machineFile.ts';
import { placeText } from '../../presentation/machines/machineText.ts';
import { optionsOf, type RemoteKind } from '../../presentation/machines/machineOptions.ts';
import {
  draftId,
  entryOfDraft,
  mountPoint,
  problemOf,
  readOr,
  takenText,
  type MachineDraft,
} from './machineDraft.ts';
import {
  askPick,
  askText,
  back,
  isAnswer,
  type Answer,
  type Step,
  type StepChoice,
} from './steps.ts';

/** Facts that the questions need. */
export interface Knowledge {
  /** Hosts of the ssh config. */
  readonly aliases: readonly string[];
  /** Ids of existing machines. */
  readonly taken: readonly string[];
  /** Path of the first local workspace folder; `undefined` if there is none. */
  readonly folder: string | undefined;
}

export function stepsFor(kind: RemoteKind, known: Knowledge): readonly Step<MachineDraft>[] {
  switch (kind) {
    case 'ssh':
      return [loginStep, idStep(known)];
    case 'slurm':
      return [loginHostStep(known), loginStep, optionsStep(known), idStep(known)];
    case 'container':
      return [imageStep(known), mountStep(known), networkStep, optionsStep(known), idStep(known)];
  }
}

const loginHostStep = ({ aliases }: Knowledge): Step<MachineDraft> => ({
  async ask(draft) {
    const answer = await askPick<MachinePlace>({
      title: 'Slurm Cluster: Login Host',
      placeholder:
        'Host that runs sbatch and squeue (login node): user@host[:port], or a host of your SSH config',
      choices: [
        {
          label: 'This Computer',
          detail: 'sbatch and squeue are here',
          icon: 'device-desktop',
          value: {},
        },
        ...hostChoices(aliases),
      ],
      typed: (text) =>
        readOr(() => ({ value: parseMachineSpec(text, aliases), about: 'use this host' })),
      hasBack: true,
    });
    return isAnswer(answer) ? { ...draft, place: answer } : answer;
  },
});

type Login = NonNullable<MachineDraft['login']>;

/** Asks for the login method. Skipped for hosts of the ssh config, which configures the login. */
const loginStep: Step<MachineDraft> = {
  isNeeded: ({ place }) => place?.host !== undefined,
  async ask(draft) {
    const choices: StepChoice<Login | 'file'>[] = [
      {
        label: 'Use SSH Config',
        detail: 'Tries the SSH agent, then keys, then asks for a password',
        value: {},
      },
      { label: 'SSH Agent', value: { auth: 'agent' } },
      { label: 'Key File…', value: 'file' },
      {
        label: 'Password',
        detail: 'Asked once; saved to secret storage after a successful login',
        value: { auth: 'password' },
      },
    ];
    for (;;) {
      const answer = await askPick({
        title: 'Login Method',
        placeholder: placeText(draft.place ?? {}),
        choices,
        hasBack: true,
      });
      if (!isAnswer(answer)) return answer;
      const login = answer === 'file' ? await askKey() : answer;
      if (login !== back) return login && { ...draft, login };
    }
  },
};

async function askKey(): Promise<Answer<Login>> {
  const folder = join(homedir(), '.ssh');
  const localPath = localPathFrom(homedir(), homedir());
  const answer = await askPick<{ readonly path: string } | 'browse'>({
    title: 'Private Key',
    placeholder: 'Type the path of the private key, or select a key',
    choices: [
      ...privateKeys(folder).map((path) => ({
        label: path.replace(homedir(), '~'),
        icon: 'key',
        value: { path },
      })),
      { label: 'Browse…', icon: 'folder-opened', value: 'browse' },
    ],
    typed: (text) => readOr(() => ({ value: { path: localPath(text) }, about: 'use this key' })),
    hasBack: true,
  });
  if (!isAnswer(answer)) return answer;
  if (answer !== 'browse') return { auth: 'key', keyPath: answer.path };
  const options = { title: 'Private Key', openLabel: 'Use', defaultUri: Uri.file(folder) };
  const [file] = (await window.showOpenDialog(options)) ?? [];
  return file === undefined ? back : { auth: 'key', keyPath: file.fsPath };
}

/** Returns the private keys in a folder: files that have a `.pub` file next to them. */
function privateKeys(folder: string): string[] {
  try {
    const names = readdirSync(folder);
    return names.filter((name) => names.includes(`${name}.pub`)).map((name) => join(folder, name));
  } catch {
    return [];
  }
}

const imageStep = ({ folder }: Knowledge): Step<MachineDraft> => ({
  async ask(draft) {
    const dockerfiles =
      folder === undefined
        ? []
        : await workspace.findFiles('**/{Dockerfile,*.Dockerfile}', undefined, 8);
    const answer = await askPick<NonNullable<MachineDraft['image']>>({
      title: 'Container: Image',
      placeholder: 'Type the name of an image, or select an image or a Dockerfile',
      choices: [
        ...dockerfiles.map(({ fsPath }) => ({
          label: workspace.asRelativePath(fsPath),
          description: 'built on first use',
          icon: 'file-code',
          value: { dockerfile: fsPath },
        })),
        { label: 'python:3.12-slim', icon: 'package', value: { image: 'python:3.12-slim' } },
      ],
      typed: (text) => ({ value: { image: text }, about: 'use this image' }),
      hasBack: true,
    });
    return isAnswer(answer) ? { ...draft, image: answer } : answer;
  },
});

const mountStep = ({ folder }: Knowledge): Step<MachineDraft> => ({
  isNeeded: () => folder !== undefined,
  async ask(draft) {
    const answer = await askPick<NonNullable<MachineDraft['mount']>>({
      title: 'Container: Workspace Folder',
      placeholder: `${folder ?? ''}, mounted as ${mountPoint} in the container`,
      choices: [
        {
          label: 'Read and Write',
          detail: 'Runs can read and change your files',
          icon: 'edit',
          value: 'write',
        },
        {
          label: 'Read Only',
          detail: 'Runs can read your files but not change them',
          icon: 'eye',
          value: 'read',
        },
        {
          label: 'None',
          detail: 'Runs see none of your files',
          icon: 'circle-slash',
          value: 'none',
        },
      ],
      hasBack: true,
    });
    return isAnswer(answer) ? { ...draft, mount: answer } : answer;
  },
});

const networkStep: Step<MachineDraft> = {
  async ask(draft) {
    const answer = await askPick<NonNullable<MachineDraft['network']>>({
      title: 'Container: Network',
      placeholder: 'Network access from inside the container',
      choices: [
        {
          label: 'None',
          detail: 'Nothing gets in or out',
          icon: 'shield',
          value: 'none',
        },
        {
          label: 'Bridge',
          detail: 'The internet, such as for pip install',
          icon: 'globe',
          value: 'bridge',
        },
        {
          label: 'Host',
          detail: 'Everything that this computer can reach, including its own services',
          icon: 'warning',
          value: 'host',
        },
      ],
      hasBack: true,
    });
    return isAnswer(answer) ? { ...draft, network: answer } : answer;
  },
};

const optionExamples: Readonly<Record<RemoteKind, string>> = {
  ssh: '--slots 2 --gpus 0,1',
  slurm: '--partition gpu --gpus 1 --time 24h --memory 32G',
  container: '--cpus 4 --memory 16G --gpus all',
};

/** Options that have a separate question, so the options question does not list them. */
const separateQuestions: readonly string[] = ['key', 'auth', 'image', 'dockerfile', 'network'];

/** Asks for options without a separate question, in the same syntax as `/machine add`. */
const optionsStep = ({ folder }: Knowledge): Step<MachineDraft> => ({
  async ask(draft) {
    const { readMachineOptions, splitArguments } =
      await import('../../presentation/machines/machineWords.ts');
    const read = (text: string): Readonly<Record<string, unknown>> =>
      readMachineOptions(
        splitArguments(text),
        draft.kind,
        localPathFrom(folder ?? homedir(), homedir()),
      );
    const answer = await askText({
      title: draft.kind === 'slurm' ? 'Slurm Cluster: Options' : 'Container: Options',
      prompt: `Optional: more options, such as ${optionExamples[draft.kind]}. Available: ${optionsOf(
        draft.kind,
      )
        .filter(({ name }) => !separateQuestions.includes(name))
        .map(({ name }) => `--${name}`)
        .join(', ')}`,
      placeholder: optionExamples[draft.kind],
      problemOf: (text) => problemOf(() => read(text)),
      hasBack: true,
    });
    return isAnswer(answer) ? { ...draft, options: read(answer) } : answer;
  },
});

const idStep = (known: Knowledge): Step<MachineDraft> => ({
  async ask(draft) {
    const answer = await askText({
      title: 'Machine Name',
      prompt: 'Name of the machine in Helios',
      value: draftId(draft, known.taken),
      problemOf: (text) =>
        problemOf(() => entryOfDraft({ ...draft, id: text }, known.folder)) ??
        takenText(text, known.taken),
      hasBack: true,
    });
    return isAnswer(answer) ? { ...draft, id: answer } : answer;
  },
});

export const hostChoices = (
  aliases: readonly string[],
): (StepChoice<MachinePlace> & { value: MachinePlace })[] =>
  aliases.map((alias) => ({
    label: alias,
    description: 'ssh config',
    icon: 'remote',
    value: { alias },
  }));
