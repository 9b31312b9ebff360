import * as z from 'zod';
import { counted } from '../../base/text.ts';
import type { Machines } from '../../machines/machine.ts';
import { writeAccess } from '../parameters/accesses.ts';
import { machinePath } from '../parameters/machinePath.ts';
import { defineTool, type Tool } from '../tool.ts';

export interface UndoneFiles {
  readonly restored: readonly string[];
  /** Files that were changed after the edits of the session. They stay unchanged. */
  readonly conflicts: readonly { readonly path: string }[];
  readonly failed: readonly { readonly path: string; readonly why: string }[];
}

export interface EditUndo {
  /** Absolute paths of the files that `undo` without paths would restore. */
  edited(): readonly string[];
  /**
   * Undoes the edits of the files. Rejects with `ToolFailure` for a path that the session did not
   * edit.
   */
  undo(paths: readonly string[], callId: string): Promise<UndoneFiles>;
}

export interface UndoEditsDeps extends EditUndo {
  readonly machines: Pick<Machines, 'get'>;
}

export const undoEdits = (deps: UndoEditsDeps): Tool =>
  defineTool({
    name: 'undo_edits',
    description:
      'Give files on local the content that they had before this session edited them; files that others changed since stay.',
    effect: 'write',
    parameters: z.strictObject({
      paths: z
        .array(z.string().min(1))
        .min(1)
        .optional()
        .describe('Default: all that write_file and patch_file changed outside of worktrees.'),
    }),
    aliases: { files: 'paths', path: 'paths' },
    describe: ({ paths }) => `Undo edits of ${paths?.join(', ') ?? 'this session'}`,
    accesses: async (args) =>
      Promise.all(
        (args.paths ?? deps.edited()).map((path) =>
          writeAccess(deps.machines, { machineId: 'local', path }),
        ),
      ),
    async execute({ paths }, { callId }) {
      const local = deps.machines.get('local');
      const chosen = await Promise.all(
        (paths ?? deps.edited()).map((path) => machinePath(local, path)),
      );
      const { restored, conflicts, failed } = await deps.undo(chosen, callId);
      return {
        content: {
          restored,
          ...(conflicts.length > 0 && {
            not_restored: conflicts.map(({ path }) => path),
            note: 'The files in not_restored were changed since the edits of this session.',
          }),
          ...(failed.length > 0 && { failed }),
        },
        summary: `${counted(restored.length, 'file')} restored`,
        ...(restored.length > 0 && { changedFiles: restored }),
      };
    },
  });
