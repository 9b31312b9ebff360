/** Creates attachments of messages from files, for the chat and the command line. */
import { maxAttachmentBytes, type Attachment } from '../../agent/contract/attachment.ts';
import { formatBytes } from '../../base/text.ts';
import { isBinary, mediaTypeOf } from '../../base/mediaType.ts';

export type { Attachment };

export const textAttachment = (name: string, text: string): Attachment => ({
  name,
  mediaType: 'text/plain',
  bytes: Buffer.from(text),
});

/**
 * Returns the content of a file as an attachment. If the file is too large or its type is unknown,
 * returns a note with the path instead, so that the agent can read the file.
 */
export function fileAttachment(name: string, path: string, bytes: Uint8Array): Attachment {
  const mediaType = mediaTypeOf(bytes);
  const limit = mediaType === undefined ? maxAttachmentBytes.text : maxAttachmentBytes.other;
  if (bytes.length > limit || (mediaType === undefined && isBinary(bytes)))
    return textAttachment(
      name,
      `The file ${path} (${formatBytes(bytes.length)}) is not included, because it is ${bytes.length > limit ? 'too large' : 'not a text file'}.`,
    );
  return { name, mediaType: mediaType ?? 'text/plain', bytes };
}

export const folderAttachment = (path: string): Attachment =>
  textAttachment(path, `The user refers to the folder ${path}.`);
