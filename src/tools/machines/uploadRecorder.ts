/** The port that stores code before it is sent to a machine. */
import type { Place } from '../../machines/transfer/ends.ts';
import type { ToolResult } from '../tool.ts';

export interface CodeTransfer {
  /** The file or folder, on this computer. */
  readonly from: Place;
  readonly to: Place;
}

/** The code of a transfer, which was stored before the transfer. */
export interface StoredTransfer {
  /** Why the code could not be stored, as a sentence; omitted if it was. */
  readonly why?: string;
  /** Records what was sent, after the transfer. `notSent`: see `CodeUpload.notSent`. */
  record(notSent: readonly string[] | undefined): Promise<void>;
}

export interface UploadRecorder {
  /** Stores the code of a transfer. Never rejects. */
  store(transfer: CodeTransfer, callId: string): Promise<StoredTransfer>;
}

/** Returns the result with why the code was not stored. */
export const withCodeNote = (result: ToolResult, why: string | undefined): ToolResult =>
  why === undefined || typeof result.content === 'string'
    ? result
    : { ...result, content: { ...result.content, code: why } };
