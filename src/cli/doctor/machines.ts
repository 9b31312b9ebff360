import type { Engine } from '../../agent/contract/engine.ts';
import { cleanText } from '../../base/text.ts';
import { reportMachines, type MachineReport } from '../../presentation/machines/machineReport.ts';
import { gpusText } from '../../presentation/machines/resourceText.ts';
import type { CommandContext } from '../command.ts';
import { machineAdvice } from '../machines/machineAdvice.ts';
import { hostAccess } from './access.ts';
import { confinementFinding } from './confinement.ts';
import { broken, ok, warning, type Finding, type Section } from './finding.ts';
import { logoutFinding } from './logout.ts';

/** Connects to every configured machine and reports whether it works. */
export async function machineFindings(
  { machines, resources }: Engine,
  { deps }: CommandContext,
): Promise<Section> {
  const reports = await reportMachines(
    { machines, resources, clock: deps.clock },
    { isConnecting: true },
  );
  const problems = machines.problems.map((problem) =>
    broken('machines.json', problem, 'Fix the file.'),
  );
  const connected = reports
    .filter(({ status }) => status === 'connected')
    .map(({ id }) => machines.get(id))
    .filter(({ filesOnly }) => filesOnly === undefined);
  const reported = (report: MachineReport): Finding =>
    machines.get(report.id).filesOnly === undefined
      ? findingOf(report)
      : warning(report.id, report.description ?? '', machineAdvice);
  const checks = connected.flatMap((machine) => [
    hostAccess(machine),
    logoutFinding(machine),
    confinementFinding(machine),
  ]);
  const found = (await Promise.all(checks)).filter((each) => each !== undefined);
  return { title: 'Machines', findings: [...problems, ...reports.map(reported), ...found] };
}

function findingOf({ id, status, description = '', why = '', resources }: MachineReport): Finding {
  if (status !== 'connected')
    return broken(id, cleanText(why), `Try it: helios machine test ${id}`);
  const gpus = resources === undefined ? undefined : gpusText(resources);
  return ok(id, [cleanText(description), gpus].filter(Boolean).join(' · '));
}
