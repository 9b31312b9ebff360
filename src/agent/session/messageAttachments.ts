import path from 'node:path';
import type { Target } from '../../experiments/target/target.ts';
import { AttachmentFiles, type AttachmentFile } from '../../storage/attachmentFiles.ts';
import type { Attachment } from '../contract/attachment.ts';

/** Data that is sent together with the first message of a session. */
export interface Introduction {
  readonly target?: Target | undefined;
  readonly attachments?: readonly Attachment[] | undefined;
}

/**
 * Returns the storage for attachments, which are too large for the journal. `folder` is the folder
 * of the session.
 */
export const attachmentsIn = (folder: string): AttachmentFiles =>
  new AttachmentFiles(path.join(folder, 'attachments'));

/** Stores attachments beside the journal. Rejects with `StorageFailure`. */
export async function keepAttachments(
  folder: string,
  attachments: readonly Attachment[],
): Promise<{ readonly attachments?: readonly AttachmentFile[] }> {
  if (attachments.length === 0) return {};
  const files = attachmentsIn(folder);
  const kept = attachments.map(async ({ name, mediaType, bytes }) => ({
    ...(await files.keep(bytes, mediaType)),
    name,
  }));
  return { attachments: await Promise.all(kept) };
}
