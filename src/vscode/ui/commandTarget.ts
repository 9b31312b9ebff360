/**
 * Finds the object on which a command acts. The command's argument is a tree row, an id from a
 * button, or missing if the command was called from the palette.
 */
import { isRunId, isSessionId, type RunId, type SessionId } from '../../base/ids.ts';
import { approvalFolder } from './contributions.ts';
import type { RowTarget } from './treeNode.ts';

/** Returns the target of a tree row; `undefined` if the argument is not a tree row. */
function targetOf(argument: unknown): Partial<RowTarget> | undefined {
  if (typeof argument !== 'object' || argument === null || !('target' in argument))
    return undefined;
  const { target } = argument;
  return typeof target === 'object' && target !== null ? (target as Partial<RowTarget>) : undefined;
}

export function sessionIdOf(argument: unknown): SessionId | undefined {
  const target = targetOf(argument);
  const id = target !== undefined && 'sessionId' in target ? target.sessionId : argument;
  return typeof id === 'string' && isSessionId(id) ? id : undefined;
}

/** Returns the id of the experiment within its session, such as `e7`. */
export function experimentOf(argument: unknown): string | undefined {
  const target = targetOf(argument);
  return target?.kind === 'experiment' ? target.experimentId : undefined;
}

export function runIdOf(argument: unknown): RunId | undefined {
  const target = targetOf(argument);
  const id = target !== undefined && 'runId' in target ? target.runId : argument;
  return typeof id === 'string' && isRunId(id) ? id : undefined;
}

export function machineIdOf(argument: unknown): string | undefined {
  const target = targetOf(argument);
  const id = target !== undefined && 'machineId' in target ? target.machineId : argument;
  return typeof id === 'string' ? id : undefined;
}

/**
 * Returns the note that a tree row shows, or the folder of notes in which to create one;
 * `undefined` if the argument is not such a row.
 */
export function noteOf(argument: unknown): Extract<RowTarget, { kind: 'note' }> | undefined {
  const target = targetOf(argument);
  return target?.kind === 'note' && typeof target.path === 'string'
    ? (target as Extract<RowTarget, { kind: 'note' }>)
    : undefined;
}

export function questionOf(
  argument: unknown,
): Extract<RowTarget, { kind: 'question' }> | undefined {
  const target = targetOf(argument);
  return target?.kind === 'question' && typeof target.questionId === 'string'
    ? (target as Extract<RowTarget, { kind: 'question' }>)
    : undefined;
}

export function stickyOf(argument: unknown): Extract<RowTarget, { kind: 'sticky' }> | undefined {
  const target = targetOf(argument);
  return target?.kind === 'sticky' && typeof target.number === 'number'
    ? (target as Extract<RowTarget, { kind: 'sticky' }>)
    : undefined;
}

/**
 * Returns the id of an approval question. The argument is a row, an id, or the address of the
 * document with the question.
 */
export function approvalIdOf(argument: unknown): string | undefined {
  const target = targetOf(argument);
  if (target?.kind === 'approval') return target.approvalId;
  if (typeof argument === 'string') return argument;
  const path = typeof argument === 'object' && argument !== null && 'path' in argument;
  return path ? approvalPath.exec(String(argument.path))?.[1] : undefined;
}

const approvalPath = new RegExp(`^${approvalFolder}([\\w-]+)/`);
