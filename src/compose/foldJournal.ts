/** Computes session states and ledgers from journal events that a front end has read. */
export { applyEvent, foldSession, initialState } from '../agent/journal/fold.ts';
export { ledgerOf } from '../agent/runs/sessionLedger.ts';
export { toJsonLine } from '../storage/jsonLine.ts';
