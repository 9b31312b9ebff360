import { InvalidArgumentError, Option } from 'commander';
import type { Engine } from '../../agent/contract/engine.ts';
import {
  countText,
  planHeader,
  planRows,
  reportText,
} from '../../presentation/archive/retentionText.ts';
import { formatBytes } from '../../base/text.ts';
import { columnsText } from '../screen/columns.ts';
import type { CliCommand, CommandContext } from '../command.ts';
import { withEngine } from '../commandEngine.ts';
import { namedSession } from '../sessionReference.ts';
import { exitCodes, type CliDeps } from '../cliDeps.ts';

const pipeColumns = 160;
const dayMs = 86_400_000;

interface CleanOptions {
  readonly olderThan?: number;
  readonly maxSize?: number;
  readonly yes?: boolean;
  readonly keep?: string;
  readonly release?: string;
}

export function declareClean(helios: CliCommand): CliCommand {
  const command = helios
    .command('clean')
    .summary(
      'takes old sessions away, with their runs on every machine; shows which before it does',
    )
    .description(
      'Shows which sessions would go, the oldest first; with --yes they are removed: journal, notes, runs ' +
        '(also on machines that answer) and worktrees. A session never goes that is not ended, is open ' +
        'somewhere, has a run that goes on, or is kept. Memory that all sessions share stays, and so do keys, ' +
        'machines and preferences.',
    )
    .option('--older-than <age>', 'whose last event is older: 90d, 12w, 36h', ageOf)
    .option(
      '--max-size <size>',
      'the oldest, until all sessions together take no more: 20GB, 500MB',
      sizeOf,
    )
    .addOption(new Option('--yes', 'remove them').conflicts('dryRun'))
    .option('--dry-run', 'only show them (the default)')
    .addOption(
      new Option('--keep <session>', 'this one stays, whatever its age').conflicts([
        'release',
        ...limitNames,
      ]),
    )
    .addOption(
      new Option('--release <session>', 'it need not stay any more').conflicts([...limitNames]),
    );
  return command.runs(async (context, options: CleanOptions) => {
    if (Object.keys(options).length === 0) command.help();
    const { keep, release, olderThan, maxSize } = options;
    const marked = keep ?? release;
    if (marked === undefined && olderThan === undefined && maxSize === undefined)
      command.error('Nothing says which sessions are to go.');
    return withEngine(context, (engine) =>
      marked === undefined
        ? clean(engine, options, context.deps)
        : mark(engine, marked, keep !== undefined, context),
    );
  });
}

const limitNames = ['olderThan', 'maxSize', 'yes'];

async function mark(
  { sessions, retention }: Engine,
  marked: string,
  isKept: boolean,
  { deps }: CommandContext,
): Promise<number> {
  const { id } = await namedSession(sessions, marked);
  await retention.keep(id, isKept);
  deps.stdout.write(`${id} ${isKept ? 'stays, whatever its age' : 'may go when it is old'}.\n`);
  return exitCodes.goal;
}

async function clean(
  { retention }: Engine,
  { olderThan, maxSize, yes }: CleanOptions,
  { stdout, clock }: CliDeps,
): Promise<number> {
  const plan = await retention.plan({
    ...(olderThan !== undefined && { maxAgeMs: olderThan }),
    ...(maxSize !== undefined && { maxBytes: maxSize }),
  });
  const rows = planRows(plan, clock.now());
  if (rows.length > 0)
    stdout.write(`${columnsText(planHeader, rows, stdout.columns ?? pipeColumns)}\n`);
  if (plan.goes.length === 0) {
    stdout.write(`Nothing is to go; all sessions together take ${formatBytes(plan.totalBytes)}.\n`);
    return exitCodes.goal;
  }
  if (!yes) {
    stdout.write(
      `${countText(plan.goes)} would go, of ${formatBytes(plan.totalBytes)}. Remove them with --yes.\n`,
    );
    return exitCodes.goal;
  }
  const report = await retention.carryOut(plan);
  stdout.write(`${reportText(report)}\n`);
  return report.problems.length === 0 ? exitCodes.goal : exitCodes.error;
}

const ages: Readonly<Record<string, number>> = { h: dayMs / 24, d: dayMs, w: 7 * dayMs };
const sizes: Readonly<Record<string, number>> = { MB: 1e6, GB: 1e9, TB: 1e12 };

function ageOf(text: string): number {
  const [, count = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*([hdw])$/i.exec(text.trim()) ?? [];
  const ms = Number(count) * (ages[unit.toLowerCase()] ?? NaN);
  if (ms > 0) return ms;
  throw new InvalidArgumentError('It must be an age, such as 90d, 12w or 36h.');
}

function sizeOf(text: string): number {
  const [, count = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*([mgt]b?)$/i.exec(text.trim()) ?? [];
  const bytes = Number(count) * (sizes[`${unit.slice(0, 1).toUpperCase()}B`] ?? NaN);
  if (bytes > 0) return bytes;
  throw new InvalidArgumentError('It must be a size, such as 20GB or 500MB.');
}
