import type { CodeState } from '../../experiments/experiment.ts';

/** Returns `9fceb02`, or `9fceb02-dirty` for uncommitted changes, as in `git describe`. */
export const codeName = (code: CodeState): string =>
  code.kind === 'none'
    ? ''
    : `${(code.head ?? code.tree).slice(0, 7)}${code.isDirty ? '-dirty' : ''}`;
