/** Reads how much the code of the champion changes of the user's checkout. */
import type { Ledger } from '../../experiments/ledger.ts';
import { promotedChange } from '../../experiments/git/promote.ts';
import { storeOf } from '../experiments/storedCode.ts';
import { canReport, type OpenWorkDeps } from './openWork.ts';

/**
 * Resolves with files and lines, as `promotedChange` does; `undefined` if there is no champion with
 * stored code, or if its machine is not connected or does not answer.
 */
export async function championChange(
  { experiments }: Pick<Ledger, 'experiments'>,
  { machines, clock }: OpenWorkDeps,
): Promise<string | undefined> {
  const row = experiments.find(({ isChampion }) => isChampion);
  if (row?.plan?.code.kind !== 'git') return undefined;
  const { machineId, code } = row.plan;
  const ran = machines.list().find(({ id }) => id === machineId);
  const machine = ran && storeOf(machines, ran, code);
  if (machine === undefined || !canReport(machines, machine)) return undefined;
  const commands = row.runs.map(({ command }) => command);
  const promoted = { machine, code, clock, message: '', commands };
  return promotedChange(promoted).catch(() => undefined);
}
