/** Chooses the provider and the preferences for a goal or a session. */
import type { Engine } from '../agent/contract/engine.ts';
import { checkCommandsRun } from '../compose/filesOnly.ts';
import type { Home } from '../compose/home.ts';
import { projectsAt } from '../compose/project.ts';
import { leftOutText } from '../presentation/sessions/sessionText.ts';
import type { CliOptions } from './arguments.ts';
import type { ReadKey } from './auth/keys.ts';
import { chooseProvider, inProject, namesProvider } from './choose.ts';
import type { CliDeps } from './cliDeps.ts';
import { withEngine } from './commandEngine.ts';
import { readPreferences, type Preferences } from './preferences.ts';
import { rememberedProvider, type RememberedProvider } from './rememberedProvider.ts';

export interface Chosen {
  /** Undefined if the provider of an existing session is used. */
  readonly provider: string | undefined;
  readonly preferences: Preferences;
  /** Set if the provider was chosen because it answered in an earlier session. */
  readonly remembered?: RememberedProvider;
}

interface ChoiceDeps {
  readonly home: Home;
  readonly readKey: ReadKey;
  readonly deps: CliDeps;
}

/**
 * Resolves with the preferences and the provider. Chooses the provider named by the options, the
 * project or the preferences; otherwise the provider that answered last; otherwise the first
 * provider with a key. Rejects with `UserFacing` if there is no such provider; if no command can run
 * on any machine either, names that first, because a key alone would not help.
 */
export async function chosenProvider(
  options: CliOptions,
  { home, readKey, deps }: ChoiceDeps,
): Promise<Chosen> {
  const isOpening = options.isContinue || options.resume !== undefined;
  // True if a session is resumed with its own provider, because no option names another.
  const isOwn = isOpening && options.provider === undefined;
  const ofUser = await readPreferences(
    home.folder,
    (message) => void deps.stderr.write(`helios: ${message}\n`),
  );
  const project =
    isOwn || options.provider !== undefined
      ? undefined
      : await projectsAt(home.folder).read(deps.cwd);
  const preferences = inProject(ofUser, project);
  if (isOwn) return { provider: undefined, preferences };
  const usual = chooseProvider(options, readKey, deps, preferences);
  const remembered = namesProvider(options, preferences)
    ? undefined
    : await rememberedProvider(home.folder, usual, (provider) =>
        chooseProvider(options, readKey, deps, { ...preferences, provider }),
      );
  if (remembered !== undefined) return { provider: remembered.provider, preferences, remembered };
  const provider = await usual.catch(async (error: unknown) => {
    await withEngine({ deps, home: home.folder }, checkMachines);
    if (project?.leftOut !== undefined) deps.stderr.write(`${leftOutText(project.leftOut)}\n`);
    throw error;
  });
  return { provider, preferences };
}

const checkMachines = ({ machines }: Engine): Promise<void> =>
  Promise.resolve(checkCommandsRun(machines.list()));
