/** The port that stores code before it is sent to a machine. */
import type { Place } from '../../machines/transfer/ends.ts';
import type { ToolResult } from '../tool.ts';

export interface CodeTransfer {
  /** The file or folder, on this computer. */
  readonly from: Place;
  readonly to: Place;
  /** True if the call excludes no files. */
  readonly isWhole: boolean;
}

export interface UploadRecorder {
  /** Resolves with why the code could not be stored, as a sentence; with `undefined` if it was. */
  keep(transfer: CodeTransfer, callId: string): Promise<string | undefined>;
}

/** Returns the result with why the code was not stored. */
export const withCodeNote = (result: ToolResult, why: string | undefined): ToolResult =>
  why === undefined || typeof result.content === 'string'
    ? result
    : { ...result, content: { ...result.content, code: why } };
