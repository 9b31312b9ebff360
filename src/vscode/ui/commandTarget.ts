/** Targets of commands: a tree row, a button's argument, or nothing. */
import { isRunId, isSessionId, type RunId, type SessionId } from '../../base/ids.ts';
import type { RowTarget } from './treeNode.ts';

/** `undefined`: called from the palette. */
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

/** The id of an experiment in its session: `e7`. */
export function experimentOf(argument: unknown): string | undefined {
  const target = targetOf(argument);
  return target?.kind === 'experiment' ? target.experimentId : undefined;
}

export function runIdOf(argument: unknown): RunId | undefined {
  const target = targetOf(argument);
  const id = target !== undefined && 'runId' in target ? target.runId : argument;
  return typeof id === 'string' && isRunId(id) ? id : undefined;
}

/** Accepts a row of the Machines tree, or an id. */
export function machineIdOf(argument: unknown): string | undefined {
  const target = targetOf(argument);
  const id = target !== undefined && 'machineId' in target ? target.machineId : argument;
  return typeof id === 'string' ? id : undefined;
}

/** A note, or the folder for a new note. */
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

/** The row of a sticky. */
export function stickyOf(argument: unknown): Extract<RowTarget, { kind: 'sticky' }> | undefined {
  const target = targetOf(argument);
  return target?.kind === 'sticky' && typeof target.number === 'number'
    ? (target as Extract<RowTarget, { kind: 'sticky' }>)
    : undefined;
}

/** The call of an approval row, or of a button with its id. */
export function callIdOf(argument: unknown): string | undefined {
  const target = targetOf(argument);
  const id = target?.kind === 'approval' ? target.callId : argument;
  return typeof id === 'string' ? id : undefined;
}
