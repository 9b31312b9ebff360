/**
 * Turns the conversation in the journal into the conversation for a provider. Attachments are read
 * from their files only when a request is made.
 */
import { formatBytes } from '../../base/text.ts';
import { untrusted } from '../../base/untrusted.ts';
import type {
  AssistantBlock,
  AttachmentBlock,
  Message,
  TextBlock,
  ToolResultBlock,
} from '../../models/model.ts';
import type { AttachmentFile, AttachmentFiles } from '../../storage/attachmentFiles.ts';

/**
 * Result of a tool call as recorded in the journal. Its attachments refer to files; only journals
 * of older versions contain the bytes themselves.
 */
export interface RecordedResult extends Omit<ToolResultBlock, 'attachments'> {
  readonly attachments?: readonly (AttachmentBlock | AttachmentFile)[];
}

/** A stored file that the user attached to a message. */
export interface AttachedFile {
  readonly type: 'attached_file';
  readonly file: AttachmentFile;
}

export type RecordedMessage =
  | {
      readonly role: 'user';
      readonly content: readonly (TextBlock | AttachmentBlock | RecordedResult | AttachedFile)[];
    }
  | { readonly role: 'assistant'; readonly content: readonly AssistantBlock[] };

/**
 * Reads the attachments of one session. Caches the attachments of the last request for the next
 * request.
 */
export class RequestAttachments {
  readonly #files: Pick<AttachmentFiles, 'read'>;
  /** Hash → bytes in base64. */
  #held: ReadonlyMap<string, string> = new Map();

  constructor(files: Pick<AttachmentFiles, 'read'>) {
    this.#files = files;
  }

  /**
   * Resolves with the messages, with the bytes of their attachments inlined. Never rejects because
   * of a file that cannot be read: instead of this attachment, the model gets a note.
   */
  async fill(messages: readonly RecordedMessage[]): Promise<Message[]> {
    const held = new Map<string, string>();
    for (const file of messages.flatMap(filesIn)) {
      if (held.has(file.hash)) continue;
      const base64 =
        this.#held.get(file.hash) ?? (await this.#files.read(file))?.toString('base64');
      if (base64 !== undefined) held.set(file.hash, base64);
    }
    this.#held = held;
    return withAttachments(messages, held);
  }
}

const filesIn = (message: RecordedMessage): AttachmentFile[] =>
  message.role === 'assistant'
    ? []
    : message.content.flatMap((block) => {
        if (block.type === 'attached_file') return [block.file];
        return block.type === 'tool_result'
          ? (block.attachments ?? []).filter((one) => 'hash' in one)
          : [];
      });

/**
 * Inlines attachments from `held` (hash → bytes in base64). For each missing attachment, adds a
 * note to the result that contains it.
 */
export const withAttachments = (
  messages: readonly RecordedMessage[],
  held: ReadonlyMap<string, string> = new Map(),
): Message[] =>
  messages.map((message) =>
    message.role === 'assistant'
      ? message
      : {
          role: 'user',
          content: message.content.map((block) => {
            if (block.type === 'attached_file') return attached(block.file, held);
            return block.type === 'tool_result' ? filled(block, held) : block;
          }),
        },
  );

function attached(
  file: AttachmentFile,
  held: ReadonlyMap<string, string>,
): TextBlock | AttachmentBlock {
  const { hash, mediaType, name = 'attachment' } = file;
  const base64 = held.get(hash);
  if (base64 === undefined) return { type: 'text', text: missingText(file) };
  if (mediaType !== 'text/plain') return { type: 'attachment', mediaType, name, base64 };
  const text = Buffer.from(base64, 'base64').toString('utf8');
  return { type: 'text', text: `The user attached ${name}:\n${untrusted(text, name)}` };
}

function filled(
  { attachments, ...result }: RecordedResult,
  held: ReadonlyMap<string, string>,
): ToolResultBlock {
  if (attachments === undefined) return result;
  const missing: string[] = [];
  const blocks = attachments.flatMap((attachment): AttachmentBlock[] => {
    if ('base64' in attachment) return [attachment];
    const { hash, mediaType, name = 'attachment' } = attachment;
    const base64 = held.get(hash);
    if (base64 !== undefined) return [{ type: 'attachment', mediaType, name, base64 }];
    missing.push(missingText(attachment));
    return [];
  });
  const text = [result.text, ...missing].join('\n');
  return { ...result, text, ...(blocks.length > 0 && { attachments: blocks }) };
}

const missingText = ({ name = 'An attachment', mediaType, sizeBytes }: AttachmentFile): string =>
  `[${name} (${mediaType}, ${formatBytes(sizeBytes)}) can no longer be shown: its file is missing or damaged. Read it again if you need it.]`;
