/** Formats the resource use of a machine as short text. */
import { counted } from '../../base/text.ts';
import type { GpuSample, ResourceSample } from './resourceSample.ts';

/**
 * Returns `GPU 93 % · 71 °C · 18/80 GB`, or `CPU 12 % · 3/64 GB` without a GPU; `undefined` when
 * neither is known.
 */
export const resourceText = (sample: ResourceSample): string | undefined =>
  gpusText(sample) ?? hostText(sample);

/** Returns `CPU 12 % · 3/64 GB`, or `load 0.4 · 3/64 GB` while the CPU use is unknown. */
export function hostText({
  cpuPercent,
  loadAverage,
  memoryUsedBytes,
  memoryTotalBytes,
}: ResourceSample): string | undefined {
  const load =
    cpuPercent === undefined && loadAverage !== undefined ? [`load ${loadAverage.toFixed(1)}`] : [];
  const parts = [
    ...percentText('CPU', cpuPercent),
    ...load,
    ...memoryText(memoryUsedBytes, memoryTotalBytes),
  ];
  return parts.length > 0 ? parts.join(' · ') : undefined;
}

/**
 * Returns one line per GPU, one for the CPUs, one for memory and one per disk. Unknown resources
 * are omitted.
 */
export function resourceLines(sample: ResourceSample): string[] {
  const load = sample.loadAverage === undefined ? [] : [`load ${sample.loadAverage.toFixed(1)}`];
  const count = sample.cpuCount === undefined ? [] : [counted(sample.cpuCount, 'CPU')];
  const cpu = [...percentText('CPU', sample.cpuPercent), ...count, ...load];
  const memory = memoryText(sample.memoryUsedBytes, sample.memoryTotalBytes);
  return [
    ...(sample.gpus ?? []).map((gpu) => gpuText(`GPU ${gpu.id}`, gpu)),
    ...(cpu.length > 0 ? [cpu.join(' · ')] : []),
    ...memory.map((text) => `Memory ${text}`),
    ...(sample.disks ?? []).map(
      (disk) => `Disk ${disk.path} · ${gigabytes(disk.freeBytes)} GB free`,
    ),
  ];
}

/** Summarises several GPUs: average utilisation, highest temperature, total memory. */
export function gpusText({ gpus = [] }: ResourceSample): string | undefined {
  if (gpus.length === 0) return undefined;
  return gpuText(gpus.length === 1 ? 'GPU' : `${gpus.length} GPUs`, {
    ...optional('utilisationPercent', mean(known(gpus, 'utilisationPercent'))),
    ...optional('temperatureCelsius', largest(known(gpus, 'temperatureCelsius'))),
    ...optional('memoryUsedBytes', sum(known(gpus, 'memoryUsedBytes'))),
    ...optional('memoryTotalBytes', sum(known(gpus, 'memoryTotalBytes'))),
  });
}

type GpuNumbers = Pick<
  GpuSample,
  'utilisationPercent' | 'temperatureCelsius' | 'memoryUsedBytes' | 'memoryTotalBytes'
>;

function gpuText(name: string, gpu: GpuNumbers): string {
  const { utilisationPercent, temperatureCelsius, memoryUsedBytes, memoryTotalBytes } = gpu;
  const use = percentText(name, utilisationPercent);
  return [
    ...(use.length > 0 ? use : [name]),
    ...(temperatureCelsius === undefined ? [] : [`${Math.round(temperatureCelsius)} °C`]),
    ...memoryText(memoryUsedBytes, memoryTotalBytes),
  ].join(' · ');
}

/**
 * Returns one value per GPU. If any GPU does not report the value, returns an empty list, because a
 * partial sum would be misleading.
 */
function known<Key extends keyof GpuNumbers>(gpus: readonly GpuSample[], key: Key): number[] {
  const values = gpus.flatMap((gpu) => gpu[key] ?? []);
  return values.length === gpus.length ? values : [];
}

const sum = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]): number | undefined => {
  const total = sum(values);
  return total === undefined ? undefined : total / values.length;
};
const largest = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : Math.max(...values);

const optional = <Key extends string>(key: Key, value: number | undefined) =>
  (value === undefined ? {} : { [key]: value }) as { [name in Key]?: number };

/** Formats a percentage. A figure space makes `7 %` as wide as `93 %`. */
const percentText = (name: string, percent: number | undefined): string[] =>
  percent === undefined ? [] : [`${name} ${String(Math.round(percent)).padStart(2, '\u2007')} %`];

function memoryText(usedBytes: number | undefined, totalBytes: number | undefined): string[] {
  if (usedBytes === undefined || totalBytes === undefined) return [];
  return [`${gigabytes(usedBytes)}/${gigabytes(totalBytes)} GB`];
}

/** Formats bytes as gigabytes of 2^30 bytes, in which memory sizes are usually stated. */
function gigabytes(bytes: number): string {
  const value = bytes / 2 ** 30;
  return value < 9.95 && value > 0 && !Number.isInteger(value)
    ? value.toFixed(1)
    : value.toFixed(0);
}
