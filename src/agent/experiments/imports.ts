/**
 * Imports results that were made outside Helios into a session. The results are listed, shown and
 * compared as imported results. They are never ranked with measured results, and never count as
 * evidence.
 */
import path from 'node:path';
import { adviceOf, UserFacing } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { exactTime } from '../../base/localTime.ts';
import { cleanText, counted, oneLine } from '../../base/text.ts';
import type { ImportedResult } from '../../experiments/ledger.ts';
import { readResults } from '../../experiments/resultsTsv.ts';
import type { Machine, Machines } from '../../machines/machine.ts';
import { FixedMetrics } from '../../metrics/fixedMetrics.ts';
import { findMetric, splitRank } from '../../metrics/metricName.ts';
import type { MetricSummary } from '../../metrics/metric.ts';
import {
  readImport,
  type FoundFiles,
  type FoundLedger,
  type FoundRun,
} from '../../runs/metricFiles/readImport.ts';
import { AttachmentFiles } from '../../storage/attachmentFiles.ts';
import { onMachine } from '../../tools/parameters/machinePath.ts';
import type { MeasuredRun } from '../../tools/runs/measuredRuns.ts';
import type { JournalEvent, SessionEvent } from '../journal/events.ts';
import type { SessionLog } from '../journal/sessionLog.ts';

export interface ImportsDeps {
  readonly log: SessionLog;
  /** The session's folder. Absolute path. */
  readonly folder: string;
  readonly machines: Pick<Machines, 'get'>;
}

export interface ImportRequest {
  readonly machineId: string;
  /** Absolute path on the machine. */
  readonly path: string;
  readonly by: 'agent' | 'person';
  readonly signal?: AbortSignal;
}

export interface Import {
  /** `i1`. */
  readonly id: string;
  readonly source: string;
  readonly modifiedMs: number;
  readonly count: number;
  /** Files that could not be read, and why. */
  readonly problems: readonly string[];
}

type ImportedEvent = Extract<JournalEvent, { type: 'results.imported' }>;
type Unrecorded = Extract<SessionEvent, { type: 'results.imported' }>;

const maxNameChars = 200;
/**
 * Maximum number of metrics of a run that are recorded in the journal. The stored file with the
 * rows contains all metrics.
 */
const maxValues = 40;

export class Imports {
  readonly #deps: ImportsDeps;
  readonly #files: AttachmentFiles;
  /**
   * The last import in the queue. Imports are recorded one after the other, because their ids are
   * numbers in the order of recording.
   */
  #recorded: Promise<unknown> = Promise.resolve();

  constructor(deps: ImportsDeps) {
    this.#deps = deps;
    this.#files = new AttachmentFiles(path.join(deps.folder, 'imports'));
  }

  /**
   * Reads the files and records their results. Rejects with `UserFacing` if there is nothing to
   * import, and with `MachineFailure`.
   */
  async read({ machineId, path: from, by, signal }: ImportRequest): Promise<Import> {
    const { log, machines } = this.#deps;
    const wanted = log.state.target?.objective.metric;
    const read = await readResultFiles(machines.get(machineId), from, { wanted, signal });
    const { results, problems, runs, modifiedMs } = read;
    const bytes = Buffer.from(rowsText(runs));
    const source = onMachine(from, machineId);
    const rows = bytes.length > 0 && { rows: await this.#files.keep(bytes, 'text/plain') };
    const origin = { machineId, path: from, modifiedMs, ...rows };
    const id = await this.#record({ type: 'results.imported', source, results, by, from: origin });
    return { id, source, modifiedMs, count: results.length, problems };
  }

  /** Imports files for the user. Resolves with what was imported, as text. */
  async forUser(machineId: string, from: string): Promise<string> {
    return importText(await this.read({ machineId, path: from, by: 'person' }));
  }

  #record(event: Unrecorded): Promise<string> {
    const { log } = this.#deps;
    const isWaiting = event.by === 'agent';
    const recorded = this.#recorded
      .catch(() => undefined)
      .then(() => (isWaiting ? log.record(event) : log.recordNow(event)))
      .then(() => `i${log.state.imports}`);
    this.#recorded = recorded;
    return recorded;
  }

  /**
   * Resolves with the results that a reference such as `i1` or `i1#3` names, with their metrics;
   * with an empty list if there are none. Rejects with `UserFacing` if their rows are missing.
   */
  async measured(reference: string): Promise<readonly MeasuredRun[]> {
    const [, number = '', place] = importReference.exec(reference.trim()) ?? [];
    const event = this.#event(Number(number));
    if (event === undefined) return [];
    const rows = await this.#rows(event);
    return event.results.flatMap((result, index) => {
      if (place !== undefined && Number(place) !== index + 1) return [];
      const id = `i${number}#${index + 1}`;
      return [
        {
          id: id as RunId,
          name: id,
          label: result.description,
          handle: undefined,
          status: originText(event, result),
          metrics: new FixedMetrics(rows.get(index + 1) ?? [valueRow(result)]),
        },
      ];
    });
  }

  #event(number: number): ImportedEvent | undefined {
    return this.#deps.log.events.filter((event) => event.type === 'results.imported')[number - 1];
  }

  async #rows({ from, source }: ImportedEvent): Promise<ReadonlyMap<number, readonly string[]>> {
    if (from?.rows === undefined) return new Map();
    const bytes = await this.#files.read(from.rows);
    if (bytes === undefined)
      throw new UserFacing(
        `The rows that were imported from ${source} are missing or damaged.`,
        'Import the file again.',
      );
    return rowsIn(bytes.toString('utf8'));
  }
}

/** A reference to an import or one of its results. */
export const importReference = /^i(\d{1,6})(?:#(\d{1,6}))?$/i;

function originText({ source, from }: ImportedEvent, { status }: ImportedResult): string {
  const time = from === undefined ? '' : `, file of ${exactTime(from.modifiedMs)}`;
  return `${status}; imported from ${source}${time}, not measured by Helios`;
}

export interface ResultFiles {
  readonly results: readonly ImportedResult[];
  readonly runs: readonly FoundRun[];
  /** When the newest of the files was last changed. */
  readonly modifiedMs: number;
  /** Files that could not be read, and why. */
  readonly problems: readonly string[];
}

/**
 * Reads the results in a file or folder, and records nothing. `path` is absolute; `wanted` is the
 * metric of the target, if there is one. Rejects as `Imports.read` does.
 */
export async function readResultFiles(
  machine: Pick<Machine, 'stream'>,
  from: string,
  {
    wanted,
    signal,
  }: { readonly wanted?: string | undefined; readonly signal?: AbortSignal | undefined } = {},
): Promise<ResultFiles> {
  const found = await readImport(machine, from, signal);
  const times = [...found.runs, ...found.ledgers].map((one) => one.modifiedMs);
  return { ...resultsOf(found, wanted), runs: found.runs, modifiedMs: Math.max(...times) };
}

/** Returns the results of the ledgers, after those of the runs. Throws `UserFacing` if there are none. */
function resultsOf(
  { runs, ledgers, problems: before }: FoundFiles,
  wanted: string | undefined,
): { readonly results: readonly ImportedResult[]; readonly problems: readonly string[] } {
  const problems = [...before];
  const read = (ledger: FoundLedger): readonly ImportedResult[] => {
    try {
      return readResults(ledger.lines, ledger.name);
    } catch (error) {
      if (!(error instanceof UserFacing) || runs.length + ledgers.length === 1) throw error;
      problems.push(adviceOf(error));
      return [];
    }
  };
  const results = [...runs.map((run) => resultOf(run, wanted)), ...ledgers.flatMap(read)];
  if (results.length > 0) return { results, problems };
  throw new UserFacing(
    `Nothing was imported. ${problems.join(' ') || 'The files have no results.'}`,
    'Name another file.',
  );
}

function resultOf(run: FoundRun, wanted: string | undefined): ImportedResult {
  const summaries = new FixedMetrics(run.rows).summaries();
  const main = mainMetric(summaries, wanted);
  const note = run.note === '' || run.note === run.name ? '' : ` (${run.note})`;
  const isFailed = run.state === 'failed';
  return {
    commit: '',
    metric: main?.metric ?? '',
    status: isFailed ? 'crash' : run.state,
    description: oneLine(cleanText(`${run.name}${note}`), maxNameChars),
    ...(main !== undefined && !isFailed && Number.isFinite(main.last) && { value: main.last }),
    values: Object.fromEntries(
      summaries
        .filter(({ best }) => Number.isFinite(best))
        .slice(0, maxValues)
        .map(({ metric, last, best }) => [metric, [Number.isFinite(last) ? last : best, best]]),
    ),
  };
}

/**
 * Returns the metric by which a result is listed: the wanted metric, otherwise the first metric
 * with a known direction, otherwise the first metric.
 */
function mainMetric(
  summaries: readonly MetricSummary[],
  wanted: string | undefined,
): MetricSummary | undefined {
  const names = summaries.map(({ metric }) => metric);
  const name = wanted === undefined ? undefined : findMetric(wanted, names);
  const directed = summaries.filter(({ direction }) => direction !== 'none');
  const [first] = directed.toSorted((a, b) => splitRank(a.metric) - splitRank(b.metric));
  return summaries.find(({ metric }) => metric === name) ?? first ?? summaries[0];
}

/** Joins the rows of all results. A line such as `>3` precedes the rows of the third result. */
const rowsText = (runs: readonly FoundRun[]): string =>
  runs.map(({ rows }, index) => `>${index + 1}\n${rows.join('\n')}\n`).join('');

function rowsIn(text: string): ReadonlyMap<number, readonly string[]> {
  const rows = new Map<number, string[]>();
  let current: string[] = [];
  for (const line of text.split('\n')) {
    if (!line.startsWith('>')) current.push(line);
    else rows.set(Number(line.slice(1)), (current = []));
  }
  return rows;
}

const valueRow = ({ metric, value, memoryGb }: ImportedResult): string =>
  JSON.stringify({
    ...(value !== undefined && { [metric]: value }),
    ...(memoryGb !== undefined && { memory_gb: memoryGb }),
  });

const importText = ({ id, source, count, problems }: Import): string =>
  [
    `Imported ${counted(count, 'result')} from ${source} as ${id}, measured outside Helios.`,
    ...problems.map((problem) => `Not imported: ${problem}.`),
  ].join(' ');
