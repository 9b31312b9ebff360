/**
 * Parses the paths of notes, such as `/observations/1` and `/global/tricks`, and converts them to
 * file names.
 */
import { HeliosError } from '../base/errors.ts';

export type MemoryFailureReason =
  'bad_path' | 'missing' | 'refused' | 'link' | 'case_clash' | 'too_long';

/**
 * A refused memory request. The message tells the model what is wrong, and what to send instead.
 */
export class MemoryFailure extends HeliosError {
  readonly reason: MemoryFailureReason;

  constructor(reason: MemoryFailureReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Roots of the notes that sessions share: `project` for the sessions of a project, `global` for all
 * sessions. The path of such a note begins with this name.
 */
export const sharedRoots = ['project', 'global'] as const;
export type MemoryRoot = 'session' | (typeof sharedRoots)[number];

export interface MemoryPath {
  /** The normalised path, such as `/`, `/best` or `/global/tricks`. Case matters. */
  readonly text: string;
  readonly root: MemoryRoot;
  /** Names below the root; empty for the root itself. */
  readonly segments: readonly string[];
}

const maxSegmentBytes = 200;
const maxDepth = 16;
const unusable = new RegExp('[\\u0000-\\u001f\\u007f-\\u009f\\\\]');

/**
 * Parses a path. `global/x`, `/global//x` and `/global/x/` are equal. Throws
 * `MemoryFailure('bad_path')` for an empty or too deep path, and for a name that is `.`, `..`,
 * blank or too long, or has a backslash or a control character.
 */
export function parsePath(input: string): MemoryPath {
  const segments = input
    .normalize('NFC')
    .split('/')
    .filter((segment) => segment !== '');
  const problem = segments.map(problemOfSegment).find((text) => text !== undefined);
  if (input.trim() === '') throw badPath(input, 'it is empty');
  if (problem !== undefined) throw badPath(input, problem);
  if (segments.length > maxDepth) throw badPath(input, `it is more than ${maxDepth} levels deep`);
  const text = `/${segments.join('/')}`;
  const root = sharedRoots.find((name) => name === segments[0]);
  return root === undefined
    ? { text, root: 'session', segments }
    : { text, root, segments: segments.slice(1) };
}

/** Returns whether a name found on disk can be a segment of a memory path. */
export const isSegment = (name: string): boolean => problemOfSegment(name) === undefined;

function problemOfSegment(segment: string): string | undefined {
  if (segment === '.' || segment === '..')
    return `"${segment}" is not a name; paths always start at the root`;
  if (unusable.test(segment)) return 'it contains a backslash or a control character';
  if (segment.trim() === '') return 'one of its names is blank';
  if (!segment.isWellFormed()) return 'it is not valid Unicode';
  if (Buffer.byteLength(encodeSegment(segment)) > maxSegmentBytes)
    return `one of its names is longer than ${maxSegmentBytes} bytes`;
  return undefined;
}

const badPath = (input: string, problem: string): MemoryFailure =>
  new MemoryFailure(
    'bad_path',
    `${JSON.stringify(input.slice(0, 120))} is not a memory path: ${problem}. Write it like /best, /observations/1, /project/data or /global/tricks.`,
  );

const escapeChar = (char: string): string =>
  `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
const deviceName = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/**
 * Returns a segment as a file name that every file system accepts; `decodeSegment` is the inverse.
 * Keeps Unicode and case.
 */
export function encodeSegment(segment: string): string {
  const escaped = segment
    .replace(/[<>:"|?*%]/g, escapeChar)
    .replace(/^\./, escapeChar)
    .replace(/[. ]$/, escapeChar);
  return deviceName.test(escaped) ? escapeChar(escaped) + escaped.slice(1) : escaped;
}

/**
 * Returns the segment that a file name stands for. A file name without escapes is returned
 * unchanged.
 */
export function decodeSegment(fileName: string): string {
  const decoded = fileName.replace(/%([0-7][0-9A-F])/g, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
  return (encodeSegment(decoded) === fileName ? decoded : fileName).normalize('NFC');
}
