/** Finds the pipelines among the commands of a line. */
import type { ShellCommand, ShellLayout } from './shellCommand.ts';

/**
 * Returns the commands whose output a loop reads, and the operator before them; `undefined` if there
 * are none, or others than simple commands.
 */
export function pipelineBefore(
  layout: ShellLayout,
  end: number,
): { readonly commands: readonly ShellCommand[]; readonly operator: string } | undefined {
  let start = end;
  while (layout[start - 1] === '|') start -= 2;
  const commands = pipelineOf(layout.slice(start, end - 1));
  const before = layout[start - 1] ?? ';';
  const isGroup = commands?.some(({ words }) => words.length === 0) !== false;
  return isGroup || typeof before !== 'string' ? undefined : { commands, operator: before };
}

/** Returns the commands of a pipeline; `undefined` if a layout is more than that. */
export function pipelineOf(layout: ShellLayout): readonly ShellCommand[] | undefined {
  const isPipeline = layout.every((item, index) =>
    index % 2 === 0 ? typeof item === 'object' : item === '|',
  );
  const commands = layout.filter((item) => typeof item === 'object');
  return isPipeline && layout.length % 2 === 1
    ? commands.map((command, index) => ({ ...command, operator: index === 0 ? ';' : '|' }))
    : undefined;
}
