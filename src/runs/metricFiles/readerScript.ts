import { shellText } from '../../base/shellText.ts';

/** Text of `metrics.py`, which reads the metrics of a run from files; see `lines.py`. */
export const readerScript = [
  shellText('./lines.py', import.meta.url),
  shellText('./textFiles.py', import.meta.url),
  shellText('./binaryFiles.py', import.meta.url),
  shellText('./reader.py', import.meta.url),
].join('');
