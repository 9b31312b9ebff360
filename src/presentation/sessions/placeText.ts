/** How a session that is not over stands, and where, for lists. Pure. */
import type { SessionOwner, SessionSummary } from '../../agent/contract/sessions.ts';

const owners = { window: 'window', terminal: 'terminal', detached: 'background' } as const;
const doing = {
  ready: 'working',
  thinking: 'working',
  acting: 'working',
  sleeping: 'sleeping',
  paused: 'paused',
  ended: 'ended',
} as const;

/**
 * `sleeping in window 4711`, `paused`, `interrupted` (nobody works on it, though it is not over).
 */
export function placeText(
  { phase }: Pick<SessionSummary, 'phase'>,
  owner: SessionOwner | undefined,
): string {
  if (owner === undefined) return phase === 'paused' ? 'paused' : 'interrupted';
  return `${doing[phase]} in ${owner.kind === undefined ? 'process' : owners[owner.kind]} ${owner.pid}`;
}
