import { shellText } from '../../base/shellText.ts';

const formats = [
  shellText('./lines.py', import.meta.url),
  shellText('./textFiles.py', import.meta.url),
  shellText('./binaryFiles.py', import.meta.url),
  shellText('./kinds.py', import.meta.url),
].join('');

/** Text of `metrics.py`, which reads the metrics of a run from files; see `lines.py`. */
export const readerScript = `${formats}${shellText('./reader.py', import.meta.url)}`;

/** Text of a program that reads results that were made outside Helios; see `importing.py`. */
export const importScript = `${formats}${shellText('./importing.py', import.meta.url)}`;
