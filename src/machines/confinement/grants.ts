/** Folders that confined commands may change, and the advice that names them. */
import { absolutePath, isInFolder } from '../absolutePath.ts';
import type { Machine } from '../machine.ts';
import type { Confinement } from './policy.ts';

type Place = Pick<Machine, 'id' | 'path' | 'workFolder' | 'homeFolder' | 'runsFolder'>;

/**
 * Returns whether the working folder of the machine is its home folder or above it. Such a folder
 * is never granted, because files there may run at the next login.
 */
export const worksAtHome = ({
  path: paths,
  workFolder,
  homeFolder,
}: Pick<Place, 'path' | 'workFolder' | 'homeFolder'>): boolean =>
  homeFolder !== undefined && isInFolder(paths, workFolder, homeFolder);

/** Folders of programs and settings of the system, of temporary files, and homes. */
const neverGranted =
  /^\/(?:(?:etc|usr|lib\w*|s?bin|boot|sys|proc|dev|run)(?:\/.*)?|var(?:\/(?:tmp|run|spool|lib)(?:\/.*)?)?|tmp|opt|root|home\/[^/]+)$/;

/**
 * Returns whether a folder that was uploaded is granted. The home folder, folders above it, and
 * folders from which programs or settings are loaded are not: those of the system, hidden ones, and
 * `bin`.
 */
export function isGrantable(
  { path: paths, homeFolder }: Pick<Place, 'path' | 'homeFolder'>,
  folder: string,
): boolean {
  if (homeFolder === undefined || isInFolder(paths, folder, homeFolder)) return false;
  const isBelow = isInFolder(paths, homeFolder, folder);
  if (!isBelow && neverGranted.test(folder)) return false;
  const names = (isBelow ? paths.relative(homeFolder, folder) : folder).split(paths.sep);
  return names.every((name) => !/^\.|^bin$|[\n\t]/.test(name));
}

/** Returns whether confined commands may change a folder, apart from caches. */
function isGranted(machine: Place, confinement: Confinement, folder: string): boolean {
  const { path: paths, runsFolder } = machine;
  const ofSession = ['worktrees', 'copies'].map((name) =>
    paths.join(paths.dirname(runsFolder), name, confinement.sessionId),
  );
  return [...confinement.writable, ...ofSession].some((granted) =>
    isInFolder(paths, absolutePath(machine, granted), folder),
  );
}

const isCache = (folder: string): boolean => /\/(?:\.|(?:nltk|scikit_learn)_data$)/.test(folder);

/**
 * Returns the granted folder that advice names; `undefined` if there is none. The working folder
 * and uploaded folders come first.
 */
export function advisedFolder({ writable, isAtHome }: Confinement): string | undefined {
  const [first] = writable;
  const isOwn = first !== undefined && isAtHome !== true;
  return isOwn ? first : (writable.find((folder) => !isCache(folder)) ?? unnamed(isAtHome));
}

const unnamed = (isAtHome: true | undefined): string | undefined =>
  isAtHome && 'a folder that you uploaded';

/** Returns sentences that say where to write instead, and what the user can grant. */
export function grantAdvice(confinement: Confinement, machineId: string, folder = 'more'): string {
  const advised = advisedFolder(confinement);
  const below = advised === undefined ? '' : `Write below ${advised}`;
  if (confinement.isAtHome)
    return `${below}: the home folder of ${machineId} is not granted, folders that you uploaded are. The user can set the working folder of ${machineId} (workFolder in machines.json, or --work-folder) or grant more under confinement.writable.`;
  return `${below === '' ? 'The' : `${below}, or the`} user can grant ${folder} under confinement.writable of ${machineId} in machines.json.`;
}

/**
 * Returns why a confined command cannot start in the folder, which its own `/tmp` hides;
 * `undefined` if it can.
 */
export const startProblem = (
  machine: Place,
  confinement: Confinement,
  folder: string,
): string | undefined =>
  /^\/(?:var\/)?tmp\/./.test(folder) && !isGranted(machine, confinement, folder)
    ? hiddenFolderText(confinement, machine.id, folder)
    : undefined;

/** Returns the reason for which no confined command starts in a folder below `/tmp`. */
export const hiddenFolderText = (
  confinement: Confinement,
  machineId: string,
  folder: string,
): string =>
  `commands on ${machineId} are confined, with a /tmp of their own, so none starts in ${folder}. ${grantAdvice(confinement, machineId, folder)}`;

/** Returns a warning about a run in a folder that it may not change; `undefined` if it may. */
export const folderWarning = (
  machine: Place,
  confinement: Confinement,
  folder: string,
): string | undefined =>
  isGranted(machine, confinement, folder)
    ? undefined
    : `The run cannot write in ${folder}, where it starts, because it is confined. ${grantAdvice(confinement, machine.id, folder)}`;
