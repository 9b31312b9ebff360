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
    .summary('delete old sessions with their runs on every machine; a preview by default')
    .description(
      'Lists the sessions to delete, oldest first. With --yes, deletes them: journal, notes, runs ' +
        '(also on other machines, if reachable) and worktrees. Never deletes a session that has not ended, is open ' +
        'in any process, has an active run, or was marked with --keep. Shared memory, keys, ' +
        'machines and preferences are not deleted.',
    )
    .option(
      '--older-than <age>',
      'select sessions whose last event is older than this: 90d, 12w, 36h',
      ageOf,
    )
    .option(
      '--max-size <size>',
      'select the oldest sessions until the others fit into this size: 20GB, 500MB',
      sizeOf,
    )
    .addOption(new Option('--yes', 'delete the sessions').conflicts('dryRun'))
    .option('--dry-run', 'only list the sessions (default)')
    .addOption(
      new Option('--keep <session>', 'keep this session regardless of its age').conflicts([
        'release',
        ...limitNames,
      ]),
    )
    .addOption(
      new Option('--release <session>', 'undo --keep for this session').conflicts([...limitNames]),
    );
  return command.runs(async (context, options: CleanOptions) => {
    if (Object.keys(options).length === 0) command.help();
    const { keep, release, olderThan, maxSize } = options;
    const sessionName = keep ?? release;
    if (sessionName === undefined && olderThan === undefined && maxSize === undefined)
      command.error('Specify --older-than or --max-size.');
    return withEngine(context, (engine) =>
      sessionName === undefined
        ? clean(engine, options, context.deps)
        : mark(engine, sessionName, keep !== undefined, context),
    );
  });
}

const limitNames = ['olderThan', 'maxSize', 'yes'];

async function mark(
  { sessions, retention }: Engine,
  sessionName: string,
  isKept: boolean,
  { deps }: CommandContext,
): Promise<number> {
  const { id } = await namedSession(sessions, sessionName);
  await retention.keep(id, isKept);
  deps.stdout.write(
    `${id} ${isKept ? 'is kept regardless of its age' : 'can be deleted when it is old'}.\n`,
  );
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
    stdout.write(
      `There is nothing to delete. All sessions together take ${formatBytes(plan.totalBytes)}.\n`,
    );
    return exitCodes.goal;
  }
  if (!yes) {
    stdout.write(
      `All sessions together take ${formatBytes(plan.totalBytes)}. Add --yes to delete ${countText(plan.goes)}.\n`,
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
  throw new InvalidArgumentError('Must be an age, such as 90d, 12w or 36h.');
}

function sizeOf(text: string): number {
  const [, count = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*([mgt]b?)$/i.exec(text.trim()) ?? [];
  const bytes = Number(count) * (sizes[`${unit.slice(0, 1).toUpperCase()}B`] ?? NaN);
  if (bytes > 0) return bytes;
  throw new InvalidArgumentError('Must be a size, such as 20GB or 500MB.');
}
