/** Reads files of a host over one shared SFTP session, without a process per file. */
import type { SFTPWrapper, Stats } from 'ssh2';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { MachineFailure, type FileStat } from '../machine.ts';
import { maxWholeFileBytes, tooLarge } from '../wholeFile.ts';
import { remoteFileFailure, type ByteRange } from '../remote/remoteFiles.ts';

const pieceBytes = 32 * 1024;
/**
 * Number of pieces read concurrently, so that reading a large file does not wait for the
 * connection's latency once per piece.
 */
const piecesAtOnce = 32;
/** Long, because on a slow link the request waits for the pieces of other reads. */
const openWithinMs = 120_000;

/** Error messages by code of SFTP version 3. */
const messages: Readonly<Record<number, string>> = { 2: 'No such file', 3: 'Permission denied' };

export async function readOverSftp(
  sftp: SFTPWrapper,
  path: string,
  { range, clock }: { readonly range?: ByteRange | undefined; readonly clock: Clock },
): Promise<Uint8Array> {
  const handle = await openRegular(sftp, path, clock).catch((error: unknown) => {
    throw failure(error, 'read', path);
  });
  try {
    return await readHandle(sftp, handle, { path, range });
  } catch (error) {
    throw failure(error, 'read', path);
  } finally {
    sftp.close(handle, () => undefined);
  }
}

export async function statOverSftp(sftp: SFTPWrapper, path: string): Promise<FileStat | undefined> {
  try {
    const stats = await call<Stats>(sftp, (done) => sftp.stat(path, done));
    return {
      sizeBytes: stats.size,
      modifiedMs: stats.mtime * 1000,
      isDirectory: stats.isDirectory(),
    };
  } catch (error) {
    const cause = failure(error, 'access', path);
    if (cause.reason === 'missing') return undefined;
    throw cause;
  }
}

/**
 * Opens a regular file. Opening a pipe would block the server's process, and with it every request
 * of the session, so the kind is checked first. A file that becomes a pipe in between costs the
 * session, not the host: the session is closed after `openWithinMs`, and the next call opens another.
 */
async function openRegular(sftp: SFTPWrapper, path: string, clock: Clock): Promise<Buffer> {
  assertRegular(await call<Stats>(sftp, (done) => sftp.stat(path, done)), path);
  const tooLate = clock.after(openWithinMs, () => {
    sftp.end();
    // The server confirms the end only when its process is free again, which may be never.
    sftp.emit('close');
  });
  try {
    return await call<Buffer>(sftp, (done) => sftp.open(path, 'r', done));
  } finally {
    tooLate.dispose();
  }
}

function assertRegular(stats: Stats, path: string): void {
  if (stats.isDirectory()) throw remoteFileFailure('it is a folder', 'read', path);
  if (!stats.isFile()) throw remoteFileFailure('it is not a regular file', 'read', path);
}

async function readHandle(
  sftp: SFTPWrapper,
  handle: Buffer,
  { path, range }: { readonly path: string; readonly range: ByteRange | undefined },
): Promise<Buffer> {
  const start = range?.offset ?? 0;
  const limit = range?.maxBytes ?? maxWholeFileBytes + 1;
  // The size limits only the parallel reads. Files of /proc report size 0 but have content.
  const stats = await call<Stats>(sftp, (done) => sftp.fstat(handle, done));
  assertRegular(stats, path);
  if (range === undefined && stats.size > maxWholeFileBytes)
    throw tooLarge(path, maxWholeFileBytes);
  const ahead = Math.max(0, Math.min(limit, stats.size - start));
  const content = Buffer.allocUnsafe(ahead);
  let filled = ahead > 0 ? await readAhead(sftp, handle, { content, start }) : 0;
  if (filled < ahead) return content.subarray(0, filled);
  const rest: Buffer[] = [];
  while (filled < limit) {
    const piece = Buffer.allocUnsafe(Math.min(pieceBytes, limit - filled));
    const bytesRead = await readPiece(sftp, handle, { content: piece, position: start + filled });
    if (bytesRead === 0) break;
    rest.push(piece.subarray(0, bytesRead));
    filled += bytesRead;
  }
  if (range === undefined && filled > maxWholeFileBytes) throw tooLarge(path, maxWholeFileBytes);
  return rest.length === 0 ? content : Buffer.concat([content, ...rest]);
}

/** Fills `content` with parallel reads of the file. Resolves with the number of bytes read. */
async function readAhead(
  sftp: SFTPWrapper,
  handle: Buffer,
  { content, start }: { content: Buffer; start: number },
): Promise<number> {
  let next = 0;
  let end = content.length;
  const work = async (): Promise<void> => {
    while (next < end) {
      const from = next;
      next += pieceBytes;
      let at = from;
      const to = Math.min(from + pieceBytes, content.length);
      while (at < to) {
        const piece = content.subarray(at, to);
        const bytesRead = await readPiece(sftp, handle, { content: piece, position: start + at });
        if (bytesRead === 0) end = Math.min(end, at);
        if (bytesRead === 0) return;
        at += bytesRead;
      }
    }
  };
  await Promise.all(
    Array.from({ length: Math.min(piecesAtOnce, Math.ceil(end / pieceBytes)) }, work),
  );
  return end;
}

async function readPiece(
  sftp: SFTPWrapper,
  handle: Buffer,
  { content, position }: { content: Buffer; position: number },
): Promise<number> {
  try {
    return await call<number>(sftp, (done) =>
      sftp.read(handle, content, 0, content.length, position, done),
    );
  } catch (error) {
    if (codeOf(error) === 1) return 0;
    throw error;
  }
}

/** Runs an SFTP request; also settles when the session is lost before the host answers. */
function call<T>(
  sftp: SFTPWrapper,
  begin: (done: (error: Error | undefined, value: T) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const onClose = (): void =>
      reject(new MachineFailure('unreachable', 'The connection was lost while a file was read.'));
    sftp.once('close', onClose);
    const done = (error: Error | undefined, value: T): void => {
      sftp.off('close', onClose);
      if (error) reject(error);
      else resolve(value);
    };
    try {
      begin(done);
    } catch (error) {
      sftp.off('close', onClose);
      reject(new MachineFailure('unreachable', messageOf(error), { cause: error }));
    }
  });
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

function failure(error: unknown, operation: string, path: string): MachineFailure {
  if (error instanceof MachineFailure) return error;
  const code = codeOf(error);
  // An error without a code is not from the host: the connection was lost.
  if (typeof code !== 'number')
    return new MachineFailure(
      'unreachable',
      `Cannot ${operation} ${path}: the connection was lost.`,
      {
        cause: error,
      },
    );
  return remoteFileFailure(messages[code] ?? messageOf(error), operation, path);
}
