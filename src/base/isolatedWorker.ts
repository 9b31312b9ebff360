/** Starts worker threads for work that the main thread must be able to end. */
import { Worker } from 'node:worker_threads';

export interface IsolatedWorkerOptions {
  /** URL of the module that starts the worker: its `import.meta.url`. */
  readonly from: string;
  /**
   * Name of the worker's module without an extension. The module is in the folder of `from`: a
   * source file when running from source, otherwise a bundle.
   */
  readonly name: string;
  readonly data: unknown;
  readonly maxHeapMb: number;
}

/** Starts a worker that cannot read environment variables, and whose output is not shown. */
export const startIsolatedWorker = ({
  from,
  name,
  data,
  maxHeapMb,
}: IsolatedWorkerOptions): Worker =>
  new Worker(new URL(`./${name}.${from.endsWith('.ts') ? 'ts' : 'mjs'}`, from), {
    workerData: data,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
  });
