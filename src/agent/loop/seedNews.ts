/** Tells the model, when the session wakes, of seeds that change nothing. */
import { idleSeedGroups, idleSeedText } from '../../experiments/idleSeeds.ts';
import type { Ledger } from '../../experiments/ledger.ts';
import type { JournalEvent } from '../journal/events.ts';
import { endedSinceWake } from './endedSinceWake.ts';

const maxNews = 3;

/** Returns a line for each setting of which it became clear since the last wake. */
export function seedNews(
  sleepId: string,
  events: readonly JournalEvent[],
  ledger: () => Ledger,
): string[] {
  const ended = endedSinceWake(sleepId, events);
  if (ended.size === 0) return [];
  const { experiments } = ledger();
  const earlier = experiments.map(({ runs }) => ({
    runs: runs.filter(({ runId }) => !ended.has(runId)),
  }));
  const told = new Set(idleSeedGroups(earlier).flatMap((runs) => runs.map(({ runId }) => runId)));
  return idleSeedGroups(experiments)
    .filter((runs) => !runs.some(({ runId }) => told.has(runId)))
    .slice(0, maxNews)
    .map((runs) => `[${idleSeedText(runs)}]`);
}
