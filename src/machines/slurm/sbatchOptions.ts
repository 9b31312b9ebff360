/**
 * Builds the options of `sbatch` from the job and the machine's entry. Values in the job take
 * precedence over values in the entry.
 */
import type { JobRequest } from '../machine.ts';
import type { SlurmEntry } from '../machineEntry.ts';

/** @param folder Folder of the job's first element, in which `batch.log` is written. */
export function sbatchOptions(
  request: JobRequest,
  entry: SlurmEntry,
  folder: string,
): readonly string[] {
  const { elements, maxParallel, timeLimitMinutes = entry.timeLimitMinutes } = request;
  const isArray = elements.length > 1;
  const { partition, account, qos, warning, flags = [] } = entry;
  return [
    '--parsable',
    `--job-name=${elements[0]?.name ?? ''}`,
    '--chdir=/',
    `--output=${folder}/${isArray ? 'elements/%a/' : ''}batch.log`,
    '--open-mode=append',
    entry.requeue === true ? '--requeue' : '--no-requeue',
    ...(isArray
      ? [`--array=0-${elements.length - 1}${maxParallel === undefined ? '' : `%${maxParallel}`}`]
      : []),
    ...option('partition', partition),
    ...option('account', account),
    ...option('qos', qos),
    ...option('time', timeLimitMinutes),
    ...resourceOptions(request, entry),
    ...option('signal', warning && `B:${warning.signal}@${warning.seconds}`),
    ...flags,
  ];
}

function resourceOptions({ resources = {} }: JobRequest, entry: SlurmEntry): readonly string[] {
  const { gpus = entry.gpus, cpus = entry.cpus, memoryMb = entry.memoryMb } = resources;
  return [
    ...option('gpus', gpus === 0 ? undefined : gpus),
    ...option('cpus-per-task', cpus),
    ...option('mem', memoryMb && `${memoryMb}M`),
  ];
}

const option = (name: string, value: string | number | undefined): string[] =>
  value === undefined ? [] : [`--${name}=${value}`];
