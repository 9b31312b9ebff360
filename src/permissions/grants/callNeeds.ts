/** Finds the consents that a tool call needs. */
import type { Access, PathAccess } from '../access.ts';
import type { Need } from './grant.ts';

export interface NeedyCall {
  readonly tool: string;
  /** Name of the tool whose approval in an old journal also allows this call. Default: `tool`. */
  readonly approvedAs?: string;
  readonly accesses: readonly Access[];
}

/**
 * Resolves with the real path of the folder that a consent to use the path must name; `undefined`
 * if the folder is not known, or for a read outside the folders of the agent. Never rejects.
 */
export type FolderOf = (access: PathAccess) => Promise<string | undefined>;

/**
 * Resolves with the consents that a call needs, without duplicates; with `undefined` if the user
 * can allow only this single call. A call without accesses needs a consent to its tool, for the
 * session.
 */
export async function callNeeds(
  { tool, accesses }: NeedyCall,
  folderOf: FolderOf,
): Promise<readonly Need[] | undefined> {
  if (accesses.length === 0) return [{ grant: { kind: 'tool', tool }, widest: 'session' }];
  const all = await Promise.all(accesses.map((access) => needsOf(access, folderOf)));
  if (all.includes(undefined)) return undefined;
  const needs = all.flatMap((each) => each ?? []);
  const distinct = new Map(needs.map((need) => [JSON.stringify(need), need]));
  return distinct.size === 0 ? undefined : [...distinct.values()];
}

async function needsOf(access: Access, folderOf: FolderOf): Promise<readonly Need[] | undefined> {
  if (access.kind === 'host')
    return [{ grant: { kind: 'host', host: access.host }, widest: 'always' }];
  if (access.kind !== 'command') {
    const folder = await folderOf(access);
    if (folder === undefined) return undefined;
    const { kind, machineId } = access;
    return kind === 'read' ? [] : [{ grant: { kind, machineId, folder }, widest: 'workspace' }];
  }
  const { machineId, verdict, asArguments } = access;
  if (verdict?.kind === 'safe' && asArguments === true) return [];
  return verdict?.needs?.map(({ grant, widest }) => ({ grant: { ...grant, machineId }, widest }));
}
