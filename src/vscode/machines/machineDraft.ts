/** The answers to the questions about a new machine, and the entry made from these answers. */
import { adviceOf } from '../../base/errors.ts';
import type { AuthMethod, MachineEntry, MachinePlace } from '../../machines/machineEntry.ts';
import { checkedEntry } from '../../compose/machineFile.ts';
import { suggestedId } from '../../presentation/machines/machineText.ts';
import type { RemoteKind } from '../../presentation/machines/machineOptions.ts';

/** The answers that the user has given so far. Answers that are not given yet are omitted. */
export interface MachineDraft {
  readonly kind: RemoteKind;
  readonly place?: MachinePlace;
  readonly login?: { readonly auth?: AuthMethod; readonly keyPath?: string };
  readonly image?: { readonly image: string } | { readonly dockerfile: string };
  readonly mount?: 'write' | 'read' | 'none';
  readonly network?: 'none' | 'bridge' | 'host';
  readonly options?: Readonly<Record<string, unknown>>;
  readonly id?: string;
}

/** Path in a container at which the workspace is mounted. */
export const mountPoint = '/work';

/**
 * Returns the machine entry for the answers. `folder`: path of the workspace folder, which is
 * mounted in a container. Throws `UserFacing` for an invalid entry.
 */
export function entryOfDraft(
  { id, kind, place, login, image, mount, network, options }: MachineDraft,
  folder: string | undefined,
): MachineEntry {
  const isMounted = folder !== undefined && mount !== undefined && mount !== 'none';
  const workspaceMount = {
    source: folder,
    target: mountPoint,
    ...(mount === 'read' && { isReadOnly: true }),
  };
  return checkedEntry({
    id,
    kind,
    ...place,
    ...login,
    ...image,
    ...(network !== undefined && { network }),
    ...options,
    ...(isMounted && { mounts: [workspaceMount, ...mountsOf(options)] }),
  });
}

const mountsOf = (options: MachineDraft['options']): readonly unknown[] =>
  Array.isArray(options?.['mounts']) ? options['mounts'] : [];

/** Suggests an id that describes the machine and is not in `taken`. */
export const draftId = ({ kind, place }: MachineDraft, taken: readonly string[]): string =>
  suggestedId(
    place?.host === undefined && place?.alias === undefined ? { alias: idOfKind[kind] } : place,
    taken,
  );

const idOfKind: Readonly<Record<RemoteKind, string>> = {
  ssh: 'machine',
  slurm: 'cluster',
  container: 'box',
};

/** Returns the error for an id that another machine already has; `undefined` for a free id. */
export const takenText = (text: string, taken: readonly string[]): string | undefined =>
  taken.includes(text) ? `A machine ${text} already exists. Choose another name.` : undefined;

/**
 * Returns the message of the error that `check` throws; `undefined` when `check` does not throw.
 */
export function problemOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return adviceOf(error);
  }
}

/** Returns the result of `read`, or the message of the error that `read` throws. */
export function readOr<T>(read: () => T): T | { readonly problem: string } {
  try {
    return read();
  } catch (error) {
    return { problem: adviceOf(error) };
  }
}
