/** Text for lists: the state of a session that has not ended, and the process that runs it. */
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
 * Returns, for example, `sleeping in window 4711` or `paused`; `interrupted` for a session that has
 * not ended and has no owner.
 */
export function placeText(
  { phase }: Pick<SessionSummary, 'phase'>,
  owner: SessionOwner | undefined,
): string {
  if (owner === undefined) return phase === 'paused' ? 'paused' : 'interrupted';
  return `${doing[phase]} in ${owner.kind === undefined ? 'process' : owners[owner.kind]} ${owner.pid}`;
}
