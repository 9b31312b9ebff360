/** Parses the output of the sample scripts. Missing or implausible values are absent. */
import * as z from 'zod';
import type { DiskSample, GpuProcess, GpuSample, ResourceSample } from './resourceSample.ts';

/**
 * Counters that only increase. The use of the CPUs is computed from the differences between two
 * samples.
 */
export interface Counters {
  /** Clock ticks of all CPUs together, without idle time and I/O waits. */
  readonly busy?: number | undefined;
  /** Clock ticks of all CPUs together, including idle time. */
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
  const fields = fieldsOf(text);
  const limitCpus = groupCpus(fields);
  const counters = countersOf(fields);
  return {
    counters,
    ...defined(
      'cpuPercent',
      percent(
        limitCpus === undefined
          ? hostCpu(fields, counters, before)
          : groupCpu(counters, before, limitCpus),
      ),
    ),
    ...defined('cpuCount', limitCpus ?? positive(number(fields, 'cpus'))),
    ...(limitCpus === undefined && defined('loadAverage', number(fields, 'load'))),
    ...memoryOf(fields),
  };
}

type Fields = ReadonlyMap<string, readonly string[]>;

const fieldsOf = (text: string): Fields =>
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

function number(fields: Fields, name: string, index = 0): number | undefined {
  const text = fields.get(name)?.[index];
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
function countersOf(fields: Fields): Counters {
  const ticks = (fields.get('cpu') ?? []).map(Number);
  const total = ticks.length >= 4 ? ticks.reduce((sum, each) => sum + each, 0) : undefined;
  const micros = number(fields, 'usage_usec');
  const nanos = number(fields, 'cpuacct.usage');
  return {
    total,
    busy: total === undefined ? undefined : total - (ticks[3] ?? 0) - (ticks[4] ?? 0),
    groupSeconds: micros === undefined ? nanos && nanos / 1e9 : micros / 1e6,
    uptimeSeconds: number(fields, 'uptime'),
  };
}

function hostCpu(fields: Fields, now: Counters, before: Counters | undefined): number | undefined {
  const idle = number(fields, 'idle');
  if (idle !== undefined) return 100 - idle;
  return ratio(difference(now.busy, before?.busy), difference(now.total, before?.total));
}

function groupCpu(now: Counters, before: Counters | undefined, cpus: number): number | undefined {
  const seconds = difference(now.uptimeSeconds, before?.uptimeSeconds);
  return ratio(difference(now.groupSeconds, before?.groupSeconds), seconds && seconds * cpus);
}

/**
 * Returns the increase of a counter; `undefined` if it is unknown, or if the counter decreased
 * because the machine was restarted.
 */
function difference(now: number | undefined, before: number | undefined): number | undefined {
  return now === undefined || before === undefined || now < before ? undefined : now - before;
}

const ratio = (part: number | undefined, whole: number | undefined): number | undefined =>
  part === undefined || whole === undefined || whole <= 0 ? undefined : (100 * part) / whole;

/**
 * Returns the CPU limit of the control group; `undefined` if there is none below the number of
 * CPUs.
 */
function groupCpus(fields: Fields): number | undefined {
  const quota = number(fields, 'cpu.max') ?? number(fields, 'cpu.cfs_quota_us');
  const period = number(fields, 'cpu.max', 1) ?? number(fields, 'cpu.cfs_period_us');
  const cpus =
    quota === undefined || period === undefined || quota <= 0 || period <= 0
      ? undefined
      : quota / period;
  return cpus !== undefined && cpus < (number(fields, 'cpus') ?? Infinity) ? cpus : undefined;
}

function memoryOf(fields: Fields): Pick<HostNumbers, 'memoryUsedBytes' | 'memoryTotalBytes'> {
  const total = kib(fields, 'MemTotal') ?? number(fields, 'memsize');
  const limit = number(fields, 'memory.max') ?? number(fields, 'memory.limit_in_bytes');
  const isLimited = limit !== undefined && limit < (total ?? Infinity);
  return {
    ...defined('memoryTotalBytes', isLimited ? limit : positive(total)),
    ...defined('memoryUsedBytes', isLimited ? groupMemory(fields) : hostMemory(fields, total)),
  };
}

/** Returns the used memory of the control group, without file caches that the kernel can drop. */
function groupMemory(fields: Fields): number | undefined {
  const current = number(fields, 'memory.current') ?? number(fields, 'memory.usage_in_bytes');
  const cache = number(fields, 'inactive_file') ?? 0;
  return current === undefined
    ? undefined
    : Math.max(0, current - (number(fields, 'total_inactive_file') ?? cache));
}

function hostMemory(fields: Fields, total: number | undefined): number | undefined {
  const free =
    kib(fields, 'MemAvailable') ??
    sumOf(['MemFree', 'Buffers', 'Cached'].map((name) => kib(fields, name)));
  const pages = sumOf(
    ['pages_free', 'pages_inactive', 'pages_speculative'].map((name) => number(fields, name)),
  );
  const pageBytes = number(fields, 'pagesize');
  const available =
    free ?? (pages === undefined || pageBytes === undefined ? undefined : pages * pageBytes);
  return total === undefined || available === undefined
    ? undefined
    : Math.max(0, total - available);
}

const kib = (fields: Fields, name: string): number | undefined => {
  const value = number(fields, name);
  return value === undefined ? undefined : value * 1024;
};

const sumOf = (values: readonly (number | undefined)[]): number | undefined =>
  values.reduce(
    (sum, value) => (sum === undefined || value === undefined ? undefined : sum + value),
    0,
  );

/**
 * Parses the output of `disks.sh`. Of several folders on the same file system, returns only the
 * first.
 */
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

/**
 * Parses `{"card0": {"GPU use (%)": "3", …}}`; versions of `rocm-smi` spell the names differently.
 */
function parseRocm(text: string): GpuSample[] {
  const parsed = rocmSchema.safeParse(jsonOf(text));
  return Object.entries(parsed.data ?? {}).flatMap(([card, fields]) => {
    const id = /^card(\d+)$/.exec(card)?.[1];
    if (id === undefined) return [];
    const find = (pattern: RegExp): string | undefined =>
      Object.entries(fields).find(([name]) => pattern.test(name))?.[1];
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
