/** Parses the output of the sample scripts. Missing or implausible values are absent. */
import * as z from 'zod';
import type { DiskSample, GpuProcess, GpuSample, ResourceSample } from './resourceSample.ts';

/** Counters that only increase. The differences between two samples give the use. */
export interface Counters {
  readonly busy?: number | undefined;
  readonly total?: number | undefined;
  /** CPU seconds of the control group. */
  readonly groupSeconds?: number | undefined;
  readonly uptimeSeconds?: number | undefined;
}

type HostNumbers = Pick<
  ResourceSample,
  'cpuPercent' | 'cpuCount' | 'loadAverage' | 'memoryUsedBytes' | 'memoryTotalBytes'
>;

/** @param before Counters of the previous sample, without which Linux has no `cpuPercent`. */
export function parseHost(
  text: string,
  before: Counters | undefined,
): HostNumbers & { readonly counters: Counters } {
  const told = fieldsOf(text);
  const limitCpus = groupCpus(told);
  const counters = countersOf(told);
  return {
    counters,
    ...defined(
      'cpuPercent',
      percent(
        limitCpus === undefined
          ? hostCpu(told, counters, before)
          : groupCpu(counters, before, limitCpus),
      ),
    ),
    ...defined('cpuCount', limitCpus ?? positive(number(told, 'cpus'))),
    ...(limitCpus === undefined && defined('loadAverage', number(told, 'load'))),
    ...memoryOf(told),
  };
}

type Told = ReadonlyMap<string, readonly string[]>;

const fieldsOf = (text: string): Told =>
  new Map(
    text.split('\n').flatMap((line) => {
      const at = line.indexOf(': ');
      return at < 0
        ? []
        : [
            [
              line.slice(0, at),
              line
                .slice(at + 2)
                .trim()
                .split(/\s+/),
            ] as const,
          ];
    }),
  );

function number(told: Told, name: string, index = 0): number | undefined {
  const text = told.get(name)?.[index];
  const value = text === undefined || text === '' ? NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}

const positive = (value: number | undefined): number | undefined =>
  value !== undefined && value > 0 ? value : undefined;
const percent = (value: number | undefined): number | undefined =>
  value === undefined ? undefined : Math.min(100, Math.max(0, value));

const defined = <Key extends string>(key: Key, value: number | undefined) =>
  (value === undefined ? {} : { [key]: value }) as { readonly [name in Key]?: number };

/**
 * Returns the counters. The fields of `cpu` are: user nice system idle iowait irq softirq steal.
 */
function countersOf(told: Told): Counters {
  const ticks = (told.get('cpu') ?? []).map(Number);
  const total = ticks.length >= 4 ? ticks.reduce((sum, each) => sum + each, 0) : undefined;
  const micros = number(told, 'usage_usec');
  const nanos = number(told, 'cpuacct.usage');
  return {
    total,
    busy: total === undefined ? undefined : total - (ticks[3] ?? 0) - (ticks[4] ?? 0),
    groupSeconds: micros === undefined ? nanos && nanos / 1e9 : micros / 1e6,
    uptimeSeconds: number(told, 'uptime'),
  };
}

function hostCpu(told: Told, now: Counters, before: Counters | undefined): number | undefined {
  const idle = number(told, 'idle');
  if (idle !== undefined) return 100 - idle;
  return ratio(difference(now.busy, before?.busy), difference(now.total, before?.total));
}

function groupCpu(now: Counters, before: Counters | undefined, cpus: number): number | undefined {
  const seconds = difference(now.uptimeSeconds, before?.uptimeSeconds);
  return ratio(difference(now.groupSeconds, before?.groupSeconds), seconds && seconds * cpus);
}

/** Returns `undefined` when the counter decreased: the machine was restarted. */
function difference(now: number | undefined, before: number | undefined): number | undefined {
  return now === undefined || before === undefined || now < before ? undefined : now - before;
}

const ratio = (part: number | undefined, whole: number | undefined): number | undefined =>
  part === undefined || whole === undefined || whole <= 0 ? undefined : (100 * part) / whole;

/** Returns the CPU limit of the control group; `undefined` where there is none. */
function groupCpus(told: Told): number | undefined {
  const quota = number(told, 'cpu.max') ?? number(told, 'cpu.cfs_quota_us');
  const period = number(told, 'cpu.max', 1) ?? number(told, 'cpu.cfs_period_us');
  const cpus =
    quota === undefined || period === undefined || quota <= 0 || period <= 0
      ? undefined
      : quota / period;
  return cpus !== undefined && cpus < (number(told, 'cpus') ?? Infinity) ? cpus : undefined;
}

function memoryOf(told: Told): Pick<HostNumbers, 'memoryUsedBytes' | 'memoryTotalBytes'> {
  const total = kib(told, 'MemTotal') ?? number(told, 'memsize');
  const limit = number(told, 'memory.max') ?? number(told, 'memory.limit_in_bytes');
  const isLimited = limit !== undefined && limit < (total ?? Infinity);
  return {
    ...defined('memoryTotalBytes', isLimited ? limit : positive(total)),
    ...defined('memoryUsedBytes', isLimited ? groupMemory(told) : hostMemory(told, total)),
  };
}

/** Returns the used memory of the control group, without droppable cache files. */
function groupMemory(told: Told): number | undefined {
  const current = number(told, 'memory.current') ?? number(told, 'memory.usage_in_bytes');
  const cache = number(told, 'inactive_file') ?? 0;
  return current === undefined
    ? undefined
    : Math.max(0, current - (number(told, 'total_inactive_file') ?? cache));
}

function hostMemory(told: Told, total: number | undefined): number | undefined {
  const free =
    kib(told, 'MemAvailable') ??
    sumOf(['MemFree', 'Buffers', 'Cached'].map((name) => kib(told, name)));
  const pages = sumOf(
    ['pages_free', 'pages_inactive', 'pages_speculative'].map((name) => number(told, name)),
  );
  const pageBytes = number(told, 'pagesize');
  const available =
    free ?? (pages === undefined || pageBytes === undefined ? undefined : pages * pageBytes);
  return total === undefined || available === undefined
    ? undefined
    : Math.max(0, total - available);
}

const kib = (told: Told, name: string): number | undefined => {
  const value = number(told, name);
  return value === undefined ? undefined : value * 1024;
};

const sumOf = (values: readonly (number | undefined)[]): number | undefined =>
  values.reduce(
    (sum, value) => (sum === undefined || value === undefined ? undefined : sum + value),
    0,
  );

/** Parses disks; folders on the same file system appear once. */
export function parseDisks(text: string): DiskSample[] {
  const lines = text.split('\n');
  const disks = new Map<string, DiskSample>();
  for (let at = 0; at + 1 < lines.length; at += 2) {
    const path = lines[at] ?? '';
    const [, device, total, free, mount] =
      /^(.*?)\s+(\d+)\s+\d+\s+(-?\d+)\s+\S+\s+(.*)$/.exec(lines[at + 1] ?? '') ?? [];
    if (device === undefined || disks.has(`${device} ${mount}`)) continue;
    disks.set(`${device} ${mount}`, {
      path,
      freeBytes: Math.max(0, Number(free) * 1024),
      totalBytes: Number(total) * 1024,
    });
  }
  return [...disks.values()];
}

export function parseGpus(text: string): GpuSample[] {
  const [kind, ...lines] = text.split('\n');
  if (kind === 'nvidia') return parseNvidia(lines);
  return kind === 'rocm' ? parseRocm(lines.join('\n')) : [];
}

/** Parses a number; `[N/A]`, `[Not Supported]` and the like are `undefined`. */
function cell(text: string | undefined, factor = 1): number | undefined {
  const trimmed = text?.trim() ?? '';
  const value = trimmed === '' ? NaN : Number(trimmed);
  return Number.isFinite(value) ? value * factor : undefined;
}

const mib = 2 ** 20;

function parseNvidia(lines: readonly string[]): GpuSample[] {
  const border = lines.indexOf('processes');
  const processes = parseProcesses(border < 0 ? [] : lines.slice(border + 1));
  return lines.slice(0, border < 0 ? lines.length : border).flatMap((line) => {
    const cells = line.split(',').map((each) => each.trim());
    const [id = '', uuid = ''] = cells;
    if (cells.length < 8 || !/^\d+$/.test(id)) return [];
    const [use, used, total, temperature, power] = cells.slice(-5);
    return {
      id,
      name: cells.slice(2, -5).join(', '),
      ...defined('utilisationPercent', cell(use)),
      ...defined('memoryUsedBytes', cell(used, mib)),
      ...defined('memoryTotalBytes', cell(total, mib)),
      ...defined('temperatureCelsius', cell(temperature)),
      ...defined('powerWatts', cell(power)),
      ...(border >= 0 && {
        processes: processes.filter((each) => each.uuid === uuid).map(({ process }) => process),
      }),
    };
  });
}

const parseProcesses = (lines: readonly string[]): { uuid: string; process: GpuProcess }[] =>
  lines.flatMap((line) => {
    const [uuid = '', pid, memory, session] = line.split(',').map((each) => each.trim());
    const number = cell(pid);
    if (number === undefined) return [];
    return {
      uuid,
      process: {
        pid: number,
        ...defined('memoryBytes', cell(memory, mib)),
        ...defined('sessionPid', cell(session)),
      },
    };
  });

const rocmSchema = z.record(z.string(), z.record(z.string(), z.coerce.string()));

/** Parses `{"card0": {"GPU use (%)": "3", …}}`; versions spell the names differently. */
function parseRocm(text: string): GpuSample[] {
  const parsed = rocmSchema.safeParse(jsonOf(text));
  return Object.entries(parsed.data ?? {}).flatMap(([card, told]) => {
    const id = /^card(\d+)$/.exec(card)?.[1];
    if (id === undefined) return [];
    const find = (pattern: RegExp): string | undefined =>
      Object.entries(told).find(([name]) => pattern.test(name))?.[1];
    const name = find(/^card (series|model)$/i);
    return {
      id,
      ...(name !== undefined && { name }),
      ...defined('utilisationPercent', cell(find(/^GPU use \(%\)$/i))),
      ...defined('memoryUsedBytes', cell(find(/^VRAM Total Used Memory \(B\)$/i))),
      ...defined('memoryTotalBytes', cell(find(/^VRAM Total Memory \(B\)$/i))),
      ...defined(
        'temperatureCelsius',
        cell(find(/^Temperature \(Sensor (edge|junction)\) \(C\)$/i)),
      ),
      ...defined(
        'powerWatts',
        cell(find(/^(Average|Current Socket) Graphics Package Power \(W\)$/i)),
      ),
    };
  });
}

/** Parses JSON that may follow warnings. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text.slice(Math.max(0, text.indexOf('{'))));
  } catch {
    return undefined;
  }
}
