/** Shared parts of uploads and downloads. */
import * as z from 'zod';
import { ToolFailure } from '../../base/errors.ts';
import { counted, formatBytes, formatDuration } from '../../base/text.ts';
import type { Machine } from '../../machines/machine.ts';
import type { Place } from '../../machines/transfer/ends.ts';
import type { TransferProgress } from '../../machines/transfer/progress.ts';
import { transfer } from '../../machines/transfer/transfer.ts';
import type { TransferReport, TransferRequest } from '../../machines/transfer/transferRequest.ts';
import { usualPaths, type PathRules } from '../../permissions/pathRules.ts';
import { machinePath, writtenPath, type MachineTools } from '../parameters/machinePath.ts';
import { checkPath, treeReads } from '../parameters/pathAccesses.ts';
import type { ToolContext, ToolResult } from '../tool.ts';

const maxNamed = 20;
/** Maximum number of paths that are recorded as not sent. */
const maxNotSent = 1000;
/**
 * Files that are never sent: repositories must not be mixed, and git starts programs that the
 * settings of a repository name.
 */
const neverSent: readonly string[] = ['.git'];
const interrupted = 'Interrupted. Call again to resume.';

export const transferOptions = {
  exclude: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Files to omit: patterns as in .gitignore, relative to the source folder, such as ["*.ckpt", "/data/", ".git"].',
    ),
  gitignore: z
    .boolean()
    .default(false)
    .describe('Also omit the files that .gitignore files in the source folder exclude.'),
  checksum: z
    .boolean()
    .default(false)
    .describe('Detect changed files by their contents. Default: by size and modification time.'),
};

export const transferRules =
  'The destination is the new path of the file or folder, not its parent folder. Files are merged into an existing ' +
  'folder, and nothing is deleted. Only missing or changed files are sent; call again to resume after an ' +
  'interruption. Modes, times, links within the folder and empty folders are preserved. Left out are Git repositories, and files of a folder ' +
  'that write_file may not write or must ask about, such as .vscode and .env; send one of the latter by its own path.';

export interface TransferAsked {
  readonly from: Place;
  readonly to: Place;
  readonly exclude: readonly string[];
  readonly gitignore: boolean;
  readonly checksum: boolean;
  readonly refusal: NonNullable<TransferRequest['refusal']>;
}

/**
 * Resolves with the absolute path of the file or folder to send. Rejects with `ToolFailure` if a
 * path rule applies to the path, or to a key below it, and the user has not approved this path.
 */
export async function source(
  { paths = usualPaths }: MachineTools,
  machine: Machine,
  { path, context }: { readonly path: string; readonly context: ToolContext },
): Promise<string> {
  const absolute = await machinePath(machine, path);
  for (const read of await treeReads(machine, absolute, paths))
    checkPath(read, { approved: context.accesses, paths });
  return absolute;
}

/**
 * Resolves with the destination of a transfer, the files to exclude, and the function `refusal`
 * that checks each path to write. Rejects with `ToolFailure` as `writtenPath` does.
 */
export async function destination(
  deps: MachineTools,
  machine: Machine,
  options: {
    readonly path: string;
    readonly exclude: readonly string[];
    readonly context: ToolContext;
  },
): Promise<Pick<TransferAsked, 'to' | 'exclude' | 'refusal'>> {
  const { path } = await writtenPath(deps, machine, options);
  const exclude = [...options.exclude, ...neverSent];
  return { to: { machine, path }, exclude, refusal: refusalBelow(path, deps.paths ?? usualPaths) };
}

/**
 * Returns the function that refuses single paths of a transfer to `root`. `root` itself was checked
 * and approved before. An approval of `root` also covers paths below `root` to which the same rule
 * applies.
 */
function refusalBelow(root: string, paths: PathRules): TransferAsked['refusal'] {
  const approved = paths.useOf(root, 'write')?.content;
  return (path, isFolder) => {
    const use = paths.useOf(path, 'write');
    if (use === undefined || path === root || (isFolder && use.isOfFile)) return undefined;
    if (use.verdict === 'deny') return `it is ${use.content}, which no call may write`;
    return use.content === approved
      ? undefined
      : `it is ${use.content}: send it by its own path, which needs an approval`;
  };
}

/** Transfers the files. Resolves with `undefined` if the user interrupts before anything is sent. */
export const sendFiles = (
  asked: TransferAsked,
  context: ToolContext,
): Promise<TransferReport | undefined> =>
  transfer({
    ...asked,
    signal: context.signal,
    onProgress: (progress) => context.progress(progressText(progress)),
  }).catch((error: unknown) => {
    if (context.signal.aborted) return undefined;
    throw error;
  });

/**
 * Returns the paths below the sent folder that were not written; `undefined` if they are unknown or
 * too many.
 */
export function notSentIn(report: TransferReport): readonly string[] | undefined {
  if (report.outcome !== 'complete' && report.outcome !== 'partial') return undefined;
  const failed = [...report.refused, ...report.problems].map(({ path }) => path);
  const paths = [...report.excluded, ...failed];
  return paths.length > maxNotSent ? undefined : paths;
}

/**
 * Returns the result for the agent. Throws `ToolFailure` if the transfer failed; the message says
 * how many files were sent.
 */
export function transferResult(report: TransferReport | undefined): ToolResult {
  if (!report)
    return { content: { aborted: true, files_sent: 0, note: interrupted }, summary: 'interrupted' };
  if (report.failure)
    throw new ToolFailure(`${report.failure.message} ${soFarText(report)} Call again to resume.`, {
      cause: report.failure,
    });
  return {
    content: {
      ...(report.outcome === 'aborted' && { aborted: true, note: interrupted }),
      files_sent: report.files,
      bytes_sent: Math.min(report.sentBytes, report.planned.bytes),
      seconds: Number((report.durationMs / 1000).toFixed(2)),
      unchanged: report.same,
      ...(report.links > 0 && { links: report.links }),
      ...(report.folders > 0 && { folders_made: report.folders }),
      ...(report.excluded.length > 0 && { left_out: few(report.excluded) }),
      ...(report.refused.length > 0 && { not_written: few(report.refused.map(problemText)) }),
      ...(report.problems.length > 0 && { problems: few(report.problems.map(problemText)) }),
    },
    origins: Object.fromEntries(namingFields.map((name) => [name, 'names of files'])),
    summary: summaryOf(report),
  };
}

/** Fields with names of files. These are untrusted text, because others may have chosen them. */
const namingFields = ['left_out', 'not_written', 'problems'];

const problemText = ({ path, why }: TransferReport['problems'][number]): string =>
  `${path}: ${why}`;

const few = (lines: readonly string[]): readonly string[] =>
  lines.length <= maxNamed
    ? lines
    : [...lines.slice(0, maxNamed), `… and ${lines.length - maxNamed} more`];

const progressText = ({
  bytes,
  totalBytes,
  files: done,
  totalFiles,
  bytesPerSecond,
}: TransferProgress): string =>
  `${done} of ${counted(totalFiles, 'file')} · ${formatBytes(Math.min(bytes, totalBytes))} of ${formatBytes(totalBytes)} · ` +
  `${formatBytes(bytesPerSecond)}/s`;

const soFarText = ({ files: done, planned, same }: TransferReport): string =>
  `${done} of ${counted(planned.files, 'file')} were sent${same > 0 ? `, ${same} were there before` : ''}; no file is incomplete.`;

function summaryOf({
  outcome,
  files: done,
  sentBytes,
  planned,
  durationMs,
  problems,
  refused,
}: TransferReport): string {
  const sent =
    done === 0
      ? 'nothing new'
      : `${counted(done, 'file')} · ${formatBytes(Math.min(sentBytes, planned.bytes))} · ${formatDuration(durationMs)}`;
  if (outcome === 'aborted') return `interrupted · ${sent}`;
  const left = problems.length + refused.length;
  return left === 0 ? sent : `${sent} · ${left} not sent`;
}
