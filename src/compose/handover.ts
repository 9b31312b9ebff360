/** What a window hands over to the background. */
export { parseHandover } from '../agent/session/handover.ts';
