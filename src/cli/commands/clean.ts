import type { Engine } from '../../agent/contract/engine.ts';
import type { RetentionLimits } from '../../agent/contract/retention.ts';
import { countText, planHeader, planRows, reportText } from '../../presentation/archive/retentionText.ts';
import { UserFacing } from '../../base/errors.ts';
import { formatBytes } from '../../base/text.ts';
import { columnsText } from '../screen/columns.ts';
import { defineCommand, readWords } from '../command.ts';
import { withEngine } from '../commandEngine.ts';
import { namedSession } from '../sessionReference.ts';
import { exitCodes, type CliWorld } from '../world.ts';

const usage = 'helios clean [--older-than 90d] [--max-size 20GB] [--yes | --dry-run]';
const pipeColumns = 160;
const dayMs = 86_400_000;

export const cleanCommand = defineCommand({
  name: 'clean',
  usage: '[--older-than 90d]',
  about: 'takes old sessions away, with their runs on every machine; shows which before it does',
  needsWords: ['clean'],
  help: () => `Usage: ${usage}
       helios clean --keep SESSION | --release SESSION

Shows which sessions would go, the oldest first; with --yes they are removed: journal, notes, runs (also on machines
that answer) and work trees. A session never goes that is not ended, is open somewhere, has a run that goes on, or is
kept. Memory that all sessions share stays, and so do keys, machines and preferences.

Options:
  --older-than AGE     whose last event is older: 90d, 12w, 36h
  --max-size SIZE      the oldest, until all sessions together take no more: 20GB, 500MB
  --yes                remove them
  --dry-run            only show them (the default)
  --keep SESSION       this one stays, whatever its age
  --release SESSION    it need not stay any more
  --home FOLDER        (default: HELIOS_HOME, or ~/.helios)
`,
  parse(words) {
    const options = {
      'older-than': { type: 'string' },
      'max-size': { type: 'string' },
      yes: { type: 'boolean', default: false },
      'dry-run': { type: 'boolean', default: false },
      keep: { type: 'string' },
      release: { type: 'string' },
    } as const;
    const { values } = readWords(words, { options, maxWords: 0, usage });
    const marked = values.keep ?? values.release;
    const age = values['older-than'];
    const size = values['max-size'];
    const jobs = [values.keep, values.release, age ?? size ?? (values.yes || undefined)];
    if (jobs.filter((job) => job !== undefined).length > 1)
      throw new UserFacing('Either --keep, or --release, or limits: one at a time.', `Write ${usage}`);
    if (marked === undefined && age === undefined && size === undefined)
      throw new UserFacing('Nothing says which sessions are to go.', `Write ${usage}`);
    if (values.yes && values['dry-run']) throw new UserFacing('--yes and --dry-run contradict each other.');
    const limits: RetentionLimits = {
      ...(age !== undefined && { maxAgeMs: ageOf(age) }),
      ...(size !== undefined && { maxBytes: sizeOf(size) }),
    };
    return { limits, isYes: values.yes, marked, isKept: values.keep !== undefined };
  },
  run: ({ limits, isYes, marked, isKept }, context) =>
    withEngine(context, async (engine) => {
      if (marked === undefined) return clean(engine, { limits, isYes }, context.world);
      const { id } = await namedSession(engine.sessions, marked);
      await engine.retention.keep(id, isKept);
      context.world.stdout.write(`${id} ${isKept ? 'stays, whatever its age' : 'may go when it is old'}.\n`);
      return exitCodes.goal;
    }),
});

async function clean(
  { retention }: Engine,
  { limits, isYes }: { readonly limits: RetentionLimits; readonly isYes: boolean },
  { stdout, clock }: CliWorld,
): Promise<number> {
  const plan = await retention.plan(limits);
  const rows = planRows(plan, clock.now());
  if (rows.length > 0) stdout.write(`${columnsText(planHeader, rows, stdout.columns ?? pipeColumns)}\n`);
  if (plan.goes.length === 0) {
    stdout.write(`Nothing is to go; all sessions together take ${formatBytes(plan.totalBytes)}.\n`);
    return exitCodes.goal;
  }
  if (!isYes) {
    stdout.write(`${countText(plan.goes)} would go, of ${formatBytes(plan.totalBytes)}. Remove them with --yes.\n`);
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
  throw new UserFacing(`--older-than must be an age, not “${text}”.`, 'Write it as 90d, 12w or 36h.');
}

function sizeOf(text: string): number {
  const [, count = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*([mgt]b?)$/i.exec(text.trim()) ?? [];
  const bytes = Number(count) * (sizes[`${unit.slice(0, 1).toUpperCase()}B`] ?? NaN);
  if (bytes > 0) return bytes;
  throw new UserFacing(`--max-size must be a size, not “${text}”.`, 'Write it as 20GB or 500MB.');
}
