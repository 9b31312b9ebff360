/** A place to tell what commands print whatever the files are. */
import { usualPaths } from '../../pathRules.ts';
import type { CommandPlace } from '../paths/place.ts';

/** A place with files of plain names. */
export const somePlace: CommandPlace = {
  workFolder: '/',
  home: '/',
  rules: usualPaths,
  realPath: (path) => path,
  exists: () => true,
  matches: (pattern) => (pattern.endsWith('-*') ? [] : [pattern.replace(/[*?]/g, 'x')]),
  keyFiles: () => [],
  oddFiles: () => [],
};
