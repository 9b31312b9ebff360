import * as z from 'zod';
import { UserFacing, ToolFailure } from '../../base/errors.ts';
import { exactTime } from '../../base/localTime.ts';
import { counted } from '../../base/text.ts';
import { usualPaths } from '../../permissions/pathRules.ts';
import { treeAccesses } from '../parameters/accesses.ts';
import { machineId, machinePath, onMachine, type MachineTools } from '../parameters/machinePath.ts';
import { checkPath } from '../parameters/pathAccesses.ts';
import { defineTool, type Tool } from '../tool.ts';

/** Results that were imported. */
export interface ImportedFiles {
  /** `i1`. */
  readonly id: string;
  /** Name of the file or folder, with its machine. */
  readonly source: string;
  readonly modifiedMs: number;
  /** One line per result. */
  readonly lines: readonly string[];
  /** Files that could not be read, and why. */
  readonly problems: readonly string[];
}

export interface ResultImporter {
  /**
   * Imports results from the file or folder `path`, which is absolute. Rejects with `UserFacing` if
   * there is nothing to import.
   */
  import(
    place: { readonly machineId: string; readonly path: string },
    signal: AbortSignal,
  ): Promise<ImportedFiles>;
}

const maxLines = 60;

export const importMetrics = (deps: MachineTools & { readonly importer: ResultImporter }): Tool =>
  defineTool({
    name: 'import_metrics',
    description:
      'Read results made outside Helios: a file or folder in a format of metrics_from, or a results.tsv. Its ids ("i1#2") can be shown and compared, but are no evidence.',
    effect: 'read',
    parameters: z.strictObject({
      machine_id: machineId,
      path: z.string().min(1),
    }),
    aliases: { machine: 'machine_id', file: 'path', folder: 'path' },
    describe: (args) => `Imported ${onMachine(args.path, args.machine_id)}`,
    accesses: (args) => treeAccesses(deps, { machineId: args.machine_id, path: args.path }),
    async execute(args, { accesses: approved, signal }) {
      const { paths = usualPaths } = deps;
      const path = await machinePath(deps.machines.get(args.machine_id), args.path);
      const place = { machineId: args.machine_id, path };
      for (const access of await treeAccesses(deps, place)) checkPath(access, { approved, paths });
      const read = await deps.importer.import(place, signal).catch(forModel);
      const { id, source, modifiedMs, lines, problems } = read;
      const left = lines.length - maxLines;
      return {
        content: {
          import: id,
          measured: `outside Helios, files of ${exactTime(modifiedMs)}: no evidence, never the champion`,
          results: lines.slice(0, maxLines).join('\n'),
          ...(left > 0 && { more: `${left}: exp_list with scope imported` }),
          ...(problems.length > 0 && { problems: problems.join('\n') }),
        },
        origins: { results: source, problems: source },
        summary: `${counted(lines.length, 'result')} from ${source}`,
      };
    },
  });

function forModel(error: unknown): never {
  if (!(error instanceof UserFacing)) throw error;
  throw new ToolFailure(`${error.message} ${error.action ?? ''}`.trim(), { cause: error });
}
