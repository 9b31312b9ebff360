/** Parsers for amounts, times and mounts. Each parser returns `undefined` for invalid text. */

export interface Mount {
  readonly source: string;
  readonly target: string;
  readonly isReadOnly?: true;
}

export function numberOf(
  text: string,
  { isWhole, min }: { readonly isWhole: boolean; readonly min: number },
): number | undefined {
  const value = (isWhole ? /^\d+$/ : /^\d*\.?\d+$/).test(text) ? Number(text) : NaN;
  return value >= min && value <= Number.MAX_SAFE_INTEGER ? value : undefined;
}

/** Parses a whole number of at least 1. */
export const wholeNumberOf = (text: string): number | undefined =>
  numberOf(text, { isWhole: true, min: 1 });

export function gpuIdsOf(text: string): string[] | undefined {
  const ids = text.split(',').map((id) => id.trim());
  return ids.every((id) => /^[A-Za-z0-9-]+$/.test(id)) ? ids : undefined;
}

/** Parses `NAME=VALUE`. */
export function variableOf(text: string): readonly [name: string, value: string] | undefined {
  const [, name, value = ''] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(text) ?? [];
  return name === undefined ? undefined : [name, value];
}

const megabytes: Readonly<Record<string, number>> = { M: 1, G: 1024, T: 1024 * 1024 };

/**
 * Parses an amount of memory to megabytes: `16G`, `512M`, `1.5T`, `16GiB`. As in Slurm, a number
 * without a unit is in megabytes.
 */
export function amountOf(text: string): number | undefined {
  const [, number, unit = 'M'] = /^(\d+(?:\.\d+)?)(?:([MGT])(?:i?B)?)?$/i.exec(text) ?? [];
  const value = Math.round(Number(number) * (megabytes[unit.toUpperCase()] ?? NaN));
  return value >= 1 ? value : undefined;
}

const minutesOfUnit: Readonly<Record<string, number>> = { m: 1, h: 60, d: 1440 };

/**
 * Parses a time to minutes, rounded up: `90m`, `24h`, `2d`, or the forms of Slurm: `90`, `90:00`,
 * `24:00:00`, `1-12`, `1-12:00:00`.
 */
export function minutesOf(text: string): number | undefined {
  const [, number, unit = ''] = /^(\d+)([mhd])$/.exec(text) ?? [];
  const minutes =
    number === undefined ? slurmMinutes(text) : Number(number) * (minutesOfUnit[unit] ?? NaN);
  return minutes !== undefined && minutes >= 1 ? minutes : undefined;
}

function slurmMinutes(text: string): number | undefined {
  const [, days, rest = ''] = /^(?:(\d+)-)?(\d+(?::\d+){0,2})$/.exec(text) ?? [];
  if (rest === '') return undefined;
  const parts = rest.split(':').map(Number);
  // Days are followed by hours. Without days, a single number is in minutes, and so is the first of
  // two numbers.
  const [hours = 0, minutes = 0, seconds = 0] =
    days !== undefined || parts.length === 3 ? parts : [0, ...parts];
  return Number(days ?? 0) * 1440 + hours * 60 + minutes + Math.ceil(seconds / 60);
}

/**
 * Parses a mount: `FROM:TO`, `FROM:TO:ro` or `FROM:TO:rw`. FROM is a path on this computer, which
 * may begin with a drive, TO an absolute path in the container.
 */
export function mountOf(text: string, localPath: (path: string) => string): Mount | undefined {
  const [, source, target, mode] =
    /^((?:[A-Za-z]:[\\/])?[^:]+):(\/[^:]*)(?::(ro|rw))?$/.exec(text) ?? [];
  if (source === undefined || target === undefined) return undefined;
  return { source: localPath(source), target, ...(mode === 'ro' && { isReadOnly: true }) };
}

/**
 * Parses a signal and the number of seconds before the time limit at which it is sent: `USR1@120`,
 * `SIGTERM@60`.
 */
export function warningOf(
  text: string,
): { readonly signal: string; readonly seconds: number } | undefined {
  const [, signal, seconds] = /^(?:SIG)?([A-Z][A-Z0-9]*)@(\d+)$/.exec(text) ?? [];
  return signal === undefined || Number(seconds) < 1
    ? undefined
    : { signal, seconds: Number(seconds) };
}
