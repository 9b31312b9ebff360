/** Describes a cluster in one line. */
import { counted, shellQuote } from '../../base/text.ts';

/**
 * Returns the command that prints the name of the cluster, then a line per node: name, CPUs, state,
 * generic resources.
 */
export const clusterCommand = (partition: string | undefined): string =>
  "{ scontrol show config | sed -n 's/^ClusterName *= *//p' && timeout 20 sinfo -h -N -o '%N|%c|%T|%G' " +
  `${partition === undefined ? '' : `-p ${shellQuote(partition)}`}; }`;

export interface ClusterPlace {
  readonly partition: string | undefined;
  /** Name of the login host. */
  readonly through: string;
}

export function clusterText(text: string, { partition, through }: ClusterPlace): string {
  const [cluster = '', ...lines] = text.trim().split('\n');
  // sinfo lists each node once per partition.
  const nodes = [...new Map(lines.map((line) => [line.split('|')[0], line.split('|')])).values()];
  const idle = nodes.filter(([, , state = '']) => state.startsWith('idle')).length;
  const cpus = sum(nodes.map(([, count]) => Number(count)));
  const gpus = sum(nodes.map(([, , , resources = '']) => gpuCount(resources)));
  return [
    `Slurm cluster ${cluster}`,
    ...(partition === undefined ? [] : [`partition ${partition}`]),
    `${counted(nodes.length, 'node')} (${idle} idle)`,
    counted(cpus, 'CPU'),
    ...(gpus === 0 ? [] : [counted(gpus, 'GPU')]),
    `through ${through}`,
  ].join(' · ');
}

const sum = (counts: readonly number[]): number =>
  counts.reduce((total, count) => total + (count || 0), 0);
/** Returns the number of GPUs in a list of resources: 6 for `gpu:a100:4(S:0-1),gpu:2,mps:100`. */
const gpuCount = (resources: string): number =>
  sum([...resources.matchAll(/(?:^|,)gpu:(?:[^:,(]+:)?(\d+)/g)].map(([, count]) => Number(count)));
