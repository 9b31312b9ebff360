/**
 * Reacts to a plateau: advises the agent once per stage, and ends the session if the policy
 * requires this.
 */
import { resultValueText, type Ledger } from '../../experiments/ledger.ts';
import type { PlateauPolicy } from '../../watchdogs/plateauSettings.ts';
import type { EndReason, JournalEvent } from '../journal/events.ts';
import { growingFold } from '../journal/growingFold.ts';
import { endsAfter, plateauOf, stageOf, type PlateauStage } from './plateau.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import { runName } from '../../runs/run.ts';

export interface PlateauGuardDeps {
  readonly log: Pick<SessionLog, 'events' | 'record'>;
  ledger(): Ledger;
  readonly policy: PlateauPolicy;
  end(reason: EndReason, summary: string): Promise<void>;
}

/** Counts the events that can change the plateau. */
const changesOf = growingFold<JournalEvent, { count: number }>(
  () => ({ count: 0 }),
  (changes, { type }) => {
    if (type === 'run.ended' || type === 'experiment.decided' || type === 'message.added')
      changes.count += 1;
  },
);

export class PlateauGuard {
  readonly #deps: PlateauGuardDeps;
  #seen = -1;

  constructor(deps: PlateauGuardDeps) {
    this.#deps = deps;
  }

  /**
   * Called before each model call. Records new advice for the model. Resolves with true when the
   * session was ended because of a plateau.
   */
  async endsNow(): Promise<boolean> {
    const { log, policy } = this.#deps;
    const { count: changes } = changesOf(log.events);
    if (policy.experiments === 0 || changes === this.#seen) return false;
    this.#seen = changes;
    const ledger = this.#deps.ledger();
    const { count, told } = plateauOf(ledger, log.events, policy);
    const stage = stageOf(count, policy);
    if (stage === 'end') {
      await this.#deps.end('plateau', `Stopped: ${standstill(count, ledger)}`);
      return true;
    }
    if (stage > told) await this.#advise(stage as PlateauStage, standstill(count, ledger));
    return false;
  }

  #advise(plateauStage: PlateauStage, what: string): Promise<void> {
    const text = plateauStage === 1 ? `${what} ${strategies}` : `${what} ${this.#outlook()}`;
    return this.#deps.log.record({ type: 'message.added', origin: 'reminder', text, plateauStage });
  }

  #outlook(): string {
    const { experiments, onPlateau } = this.#deps.policy;
    return onPlateau === 'end'
      ? `After ${endsAfter(experiments)} in a row the session ends. Use the remaining experiments for what could change the picture most, and write down in memory what was learnt.`
      : 'What was tried since the last advice did not help either. Try what could change the picture most: another method, other data, another target of optimisation. If the evidence says that this is as good as it gets, write down in memory what was learnt and call finish.';
  }
}

const strategies = [
  'More of the same will not help. Choose another strategy for the next experiment, and say which:',
  '- ablate the best one: take its parts away one at a time, and keep what carries it',
  '- combine near misses: changes that each almost helped',
  '- explore a region that was not tried: another architecture, optimiser, schedule or mix of data',
  '- simplify: the same value with less is progress, and shows what matters',
  '- look at data and noise: repeat the best one with two other seeds, and see how far apart equals lie',
].join('\n');

function standstill(count: number, { champion, best }: Ledger): string {
  const than =
    best === undefined || champion === undefined
      ? 'brought a result that counts'
      : `improved on the best (${resultValueText(best)}, ${runName(champion.number)}) by more than the noise`;
  return `None of the last ${count} experiments ${than}.`;
}
