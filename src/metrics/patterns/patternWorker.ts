/**
 * Worker thread that searches lines with regular expressions of a user, a project or a model. If an
 * expression takes too much time, the main thread terminates the worker.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { shared, type PatternJob } from './patternJob.ts';
import { searchLines } from './patternLines.ts';

const position = new Int32Array(workerData as SharedArrayBuffer);

parentPort?.on('message', (job: PatternJob) => {
  const points = searchLines(job, (pattern, line) => {
    Atomics.store(position, shared.line, line);
    Atomics.store(position, shared.pattern, pattern + 1);
  });
  Atomics.store(position, shared.pattern, 0);
  parentPort?.postMessage(points);
});
