/** Consents: what the user allows beyond a single call, and for how long. */
import { posix } from 'node:path';
import { createHash } from 'node:crypto';

/** Duration of a consent: this session, this working folder, or everywhere. */
export type Scope = 'session' | 'workspace' | 'always';
export const scopes: readonly Scope[] = ['session', 'workspace', 'always'];

export interface CommandGrant {
  readonly kind: 'command';
  readonly machineId: string;
  /** Real path of the folder in which the command runs. */
  readonly folder: string;
  /**
   * The program and its fixed words, such as `pip install`. Unless `isExact`, other arguments may
   * follow.
   */
  readonly words: readonly string[];
  /** Real path of the script that the program runs. */
  readonly script?: string | undefined;
  /** True if no other arguments may follow. */
  readonly isExact?: true;
}

/**
 * What a consent allows. `command`: calls of a program in a folder. `write`: changes of files in a
 * folder, given by its real path. `tool`: calls of a tool that uses only Helios's own data.
 */
export type Grant =
  | CommandGrant
  | { readonly kind: 'write'; readonly machineId: string; readonly folder: string }
  | { readonly kind: 'host'; readonly host: string }
  | { readonly kind: 'tool'; readonly tool: string };

/** A consent that a call needs, and the widest scope in which it may be given. */
export interface Need {
  readonly grant: Grant;
  readonly widest: Scope;
}

/** A consent that a command needs, without the machine, which is added later. */
export interface CommandNeed {
  readonly grant:
    Omit<CommandGrant, 'machineId'> | { readonly kind: 'write'; readonly folder: string };
  readonly widest: Scope;
}

/** A consent that was given. */
export interface Approval {
  readonly scope: Scope;
  /**
   * Real path of the working folder to which the consent is limited; only in the scope `workspace`.
   */
  readonly workspace?: string | undefined;
  readonly grant: Grant;
}

/** Returns true if the consent may be given in the scope. */
export const isWithinScope = (scope: Scope, { widest }: Need): boolean =>
  scopes.indexOf(scope) <= scopes.indexOf(widest);

/** Returns the id of a consent: equal for equal consents. */
export function approvalId({ scope, workspace = '', grant }: Approval): string {
  const identity =
    scope === 'always' && grant.kind === 'command' ? { ...grant, folder: undefined } : grant;
  const entries = Object.entries(identity)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify([scope, workspace, entries]);
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

/** Returns true if the approval covers the consent that a call in the working folder needs. */
export const fits = (approval: Approval, need: Need, workspace: string): boolean =>
  isWithinScope(approval.scope, need) &&
  (approval.scope !== 'workspace' || approval.workspace === workspace) &&
  approvalId(approval) === approvalId({ ...approval, grant: need.grant });

/** Returns a short name of the consent for a button, such as `pip install`. */
export function grantLabel(grant: Grant): string {
  switch (grant.kind) {
    case 'command':
      return commandText(grant);
    case 'write':
      return `any file below ${grant.folder}`;
    case 'host':
      return grant.host;
    case 'tool':
      return grant.tool;
  }
}

/** Returns everything that a consent covers: `pip install … on local in /work`. */
export function grantText(grant: Grant, scope?: Scope): string {
  switch (grant.kind) {
    case 'command': {
      const rest = grant.isExact ? '' : ' …';
      const place = scope === 'always' ? '' : ` in ${grant.folder}`;
      return `${commandText(grant)}${rest} on ${grant.machineId}${place}`;
    }
    case 'write':
      return `changes of files in ${grant.folder} on ${grant.machineId}`;
    case 'host':
      return `requests to ${grant.host}`;
    case 'tool':
      return `calls of ${grant.tool}`;
  }
}

function commandText({ words, script, folder }: CommandGrant): string {
  const name = script === undefined ? [] : [posix.relative(folder, script) || script];
  return [...words, ...name].join(' ');
}
