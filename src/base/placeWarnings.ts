/** Warnings about the place in which Helios runs, each with the setting to change. */
import { realpathSync } from 'node:fs';
import { textOf, type Place } from './place.ts';

export interface PlaceWarning {
  /** The thing at risk: `runs` and background work, or the `home` folder of Helios. */
  readonly about: 'runs' | 'home';
  readonly text: string;
  readonly action: string;
}

/**
 * Returns what ends runs in a place and what removes the home folder there.
 * @param isHomeMounted Whether the home folder is outside the file system of a container.
 */
export function placeWarnings(
  place: Place,
  home: string,
  isHomeMounted: boolean,
): readonly PlaceWarning[] {
  const ending = endings[place];
  const action = isHomeMounted ? undefined : homeActions[place]?.(home);
  return [
    ...(ending === undefined ? [] : [{ about: 'runs', ...ending } as const]),
    ...(action === undefined ? [] : [{ about: 'home', text: removalText(home), action } as const]),
  ];
}

/** Returns the warnings about this process, which runs in `place`. */
export const warningsHere = (place: Place, home: string): readonly PlaceWarning[] =>
  placeWarnings(place, home, isMounted(realPath(home), textOf('/proc/self/mountinfo')));

const endings: Partial<Record<Place, Omit<PlaceWarning, 'about'>>> = {
  wsl: {
    text: 'WSL ends Linux, with its runs and background work, soon after the last window and terminal close.',
    action:
      'In %UserProfile%\\.wslconfig, set instanceIdleTimeout=-1 below [general] and vmIdleTimeout=-1 below [wsl2], then run wsl --shutdown; or launch runs on an SSH host.',
  },
  'dev-container': {
    text: 'VS Code stops this dev container, with its runs and background work, when the window closes.',
    action: 'Set "shutdownAction": "none" in devcontainer.json, or launch runs on an SSH host.',
  },
  codespaces: {
    text: 'GitHub suspends this codespace, with its runs and background work, when it has not been used for a while (30 minutes by default).',
    action:
      'Launch runs on an SSH host. The settings of your GitHub account have a longer idle timeout.',
  },
};

const removalText = (home: string): string =>
  `Rebuild Container removes ${home}, with all sessions, runs and notes.`;

const homeActions: Partial<Record<Place, (home: string) => string>> = {
  'dev-container': (home) =>
    `Add a volume to devcontainer.json: "mounts": ["source=helios-\${devcontainerId},target=${home},type=volume"].`,
  codespaces: () =>
    'Set helios.home, and HELIOS_HOME for the terminal, to a folder below /workspaces, such as /workspaces/.helios.',
};

function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** File systems that end with the container. */
const passing = new Set(['overlay', 'tmpfs', 'aufs', 'vfs']);

/**
 * Returns whether `folder` is in a mount of its own, such as a volume.
 * @param mountInfo Content of `/proc/self/mountinfo`.
 */
export function isMounted(folder: string, mountInfo: string): boolean {
  const mounts = mountInfo.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ');
    const point = before.split(' ')[4]?.replaceAll('\\040', ' ');
    return point === undefined ? [] : [{ point, type: after.split(' ')[0] ?? '' }];
  });
  const inside = mounts.filter(
    ({ point }) => folder === point || folder.startsWith(point === '/' ? '/' : `${point}/`),
  );
  const nearest = inside.sort((a, b) => a.point.length - b.point.length).at(-1);
  return nearest !== undefined && nearest.point !== '/' && !passing.has(nearest.type);
}
