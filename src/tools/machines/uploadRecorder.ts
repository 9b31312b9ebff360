/** The port that stores code before it is sent to a machine. */
import type { Place } from '../../machines/transfer/ends.ts';
import { untrackedText } from '../../experiments/git/untrackedFiles.ts';
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
  /** Files to send that git does not track in the user's checkout. Default: none. */
  readonly untracked?: readonly UntrackedFile[];
  /** Records what was sent, after the transfer. `notSent`: see `CodeUpload.notSent`. */
  record(notSent: readonly string[] | undefined): Promise<void>;
}

export interface UntrackedFile {
  /** Path in the repository. */
  readonly name: string;
  /** Path below the sent folder; the name of a file that is sent alone. */
  readonly path: string;
}

export interface UploadRecorder {
  /** Stores the code of a transfer. Never rejects. */
  store(transfer: CodeTransfer, callId: string): Promise<StoredTransfer>;
}

/**
 * Returns the result with why the code was not stored, and with untracked files that were sent.
 * `notSent`: see `CodeUpload.notSent`.
 */
export function withCodeNote(
  result: ToolResult,
  code: StoredTransfer | undefined,
  notSent: readonly string[] = [],
): ToolResult {
  if (code === undefined || typeof result.content === 'string') return result;
  const { why, untracked = [] } = code;
  const isSent = ({ path }: UntrackedFile): boolean =>
    !notSent.some((each) => path === each || path.startsWith(`${each}/`));
  const sent = untracked.filter(isSent).map(({ name }) => name);
  const names = sent.length === 0 ? undefined : untrackedText(sent);
  return {
    ...result,
    content: { ...result.content, ...(why && { code: why }), ...(names && { untracked: names }) },
    ...(names && {
      origins: { ...result.origins, untracked: 'names of files' },
      summary: [result.summary, names].filter(Boolean).join(' · '),
    }),
  };
}
