/** Ports of the tools that read other sessions. */
import { messageOf } from '../../base/errors.ts';
import { formatValue } from '../../base/text.ts';
import type { NamedResult } from '../../experiments/ledger.ts';
import { directionOf } from '../../metrics/direction.ts';
import { readTail } from '../../runs/outputTail.ts';
import { runFolder } from '../../runs/supervisor.ts';
import type { AllToolsDeps } from '../../tools/allTools.ts';
import type { ListedExperiment } from '../../tools/experiments/expList.ts';
import type { ResultImporter } from '../../tools/runs/importMetrics.ts';
import type { ArchivedOutput } from '../../tools/runs/taskOutput.ts';
import { archivedStatus } from './homeArchive.ts';
import { importedLine } from '../experiments/experimentLabels.ts';
import { indexedExperiments } from '../experiments/indexedExperiments.ts';
import type { ToolsetDeps } from './toolsetDeps.ts';

export const archiveDeps = ({
  log,
  archive,
  sessionRuns,
}: Pick<ToolsetDeps, 'log' | 'archive' | 'sessionRuns'>): AllToolsDeps['archive'] => ({
  async experiments(scope) {
    const { id, workFolder } = log.state;
    if (scope === 'imported') return log.state.imported.map(importedExperiment);
    const own = indexedExperiments(log.state, sessionRuns.ledger());
    if (scope === 'session') return own;
    const others = await archive.experiments(id, scope === 'folder' ? workFolder : undefined);
    const named = others.map((one): ListedExperiment => ({
      ...one,
      id: `${one.sessionId}#${one.id}`,
    }));
    return [...own, ...named];
  },
  async search(query, limit, signal) {
    const hits = await archive.search(query, { limit: 2 * limit, signal });
    // Leave out the calls of this session, because they include the search itself.
    const others = hits.filter(
      ({ kind, sessionId }) => kind !== 'tool' || sessionId !== log.state.id,
    );
    return others.slice(0, limit).map(({ snippet, ...hit }) => ({ ...hit, text: snippet.text }));
  },
});

const importedExperiment = (result: NamedResult, index: number): ListedExperiment => {
  const { id, description, metric, value, status, source, commit } = result;
  const direction = directionOf(metric);
  const measured = value === undefined ? 'no value' : `${metric} ${formatValue(value)}`;
  return {
    id,
    hypothesis: description,
    command: description,
    decision: status,
    why: source,
    metric: value === undefined ? null : metric,
    value: value ?? null,
    direction: direction === 'none' ? null : direction,
    result: `${measured}${commit === '' ? '' : ` at ${commit}`} from ${source}`,
    runs: '',
    startedMs: index,
  };
};

export const importerOf = ({
  log,
  imports,
}: Pick<ToolsetDeps, 'log' | 'imports'>): ResultImporter => ({
  async import(place, signal) {
    const read = await imports.read({ ...place, by: 'agent', signal });
    const results = log.state.imported.filter(({ id }) => id.startsWith(`${read.id}#`));
    return { ...read, lines: results.map(importedLine) };
  },
});

/** Reads the last lines of a run of another session from its machine. */
export async function archivedOutput(
  { archive, machines }: Pick<ToolsetDeps, 'archive' | 'machines'>,
  reference: string,
  lines: number,
): Promise<ArchivedOutput | undefined> {
  const [run] = await archive.find(reference);
  if (run === undefined) return undefined;
  const { spec } = run.state;
  const described = { name: run.name, status: archivedStatus(run.state), command: spec.command };
  try {
    const machine = machines.get(spec.machineId);
    await machine.ready?.();
    const { text } = await readTail(machine, runFolder(machine.runsFolder, spec.id).output, lines);
    return { ...described, text };
  } catch (error) {
    return { ...described, text: `(the output cannot be read: ${messageOf(error)})` };
  }
}
