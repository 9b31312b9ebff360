/** A machine while it is asked for, and what becomes of the answers. */
import { adviceOf } from '../../base/errors.ts';
import type { AuthMethod, MachineEntry, MachinePlace } from '../../machines/machineEntry.ts';
import { checkedEntry } from '../../compose/machineFile.ts';
import { suggestedId } from '../../presentation/machines/machineText.ts';
import type { RemoteKind } from '../../presentation/machines/machineOptions.ts';

/** What was answered so far. */
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

/** Where the workspace is in a container. */
export const mountPoint = '/work';

/** The entry of the answers; `folder` is that of the workspace. Throws `UserFacing`. */
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

/** An id that says what it is, other than those `taken`. */
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

/** What is wrong with an id that another machine has. */
export const takenText = (text: string, taken: readonly string[]): string | undefined =>
  taken.includes(text)
    ? `There is a machine ${text} already: it would be replaced. Choose another name.`
    : undefined;

/** What a check throws, in words. */
export function problemOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return adviceOf(error);
  }
}

/** What is read, or why it cannot be. */
export function readOr<T>(read: () => T): T | { readonly problem: string } {
  try {
    return read();
  } catch (error) {
    return { problem: adviceOf(error) };
  }
}
