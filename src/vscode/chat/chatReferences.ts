/** Reads what the user attached to a chat message: files, folders, selections, images and texts. */
import { FileType, Location, Uri, workspace, type ChatPromptReference } from 'vscode';
import {
  fileAttachment,
  folderAttachment,
  textAttachment,
  type Attachment,
} from '../../presentation/sessions/attachments.ts';

export interface References {
  readonly attachments: readonly Attachment[];
  /** Names of references whose kind is not supported or that could not be read. */
  readonly unused: readonly string[];
}

/**
 * Reads the references of a chat message. Ignores references that VS Code adds automatically, such
 * as the visible part of an editor. Never rejects.
 */
export async function readReferences(
  references: readonly ChatPromptReference[],
): Promise<References> {
  const given = references.filter(({ id }) => !id.startsWith('vscode.implicit'));
  const read = await Promise.all(
    given.map(async (reference) => ({
      reference,
      attachment: await attachmentOf(reference).catch(() => undefined),
    })),
  );
  return {
    attachments: read.flatMap(({ attachment }) => attachment ?? []),
    unused: read.flatMap(({ reference, attachment }) =>
      attachment === undefined ? [nameOf(reference)] : [],
    ),
  };
}

async function attachmentOf(reference: ChatPromptReference): Promise<Attachment | undefined> {
  const { value } = reference;
  if (typeof value === 'string') return textAttachment(nameOf(reference), value);
  if (value instanceof Location) return selection(value);
  if (value instanceof Uri) return file(value);
  return isImage(value)
    ? fileAttachment(nameOf(reference), nameOf(reference), await value.data())
    : undefined;
}

async function file(uri: Uri): Promise<Attachment> {
  const { type } = await workspace.fs.stat(uri);
  if (type === FileType.Directory) return folderAttachment(uri.fsPath);
  return fileAttachment(
    workspace.asRelativePath(uri),
    uri.fsPath,
    await workspace.fs.readFile(uri),
  );
}

async function selection({ uri, range }: Location): Promise<Attachment> {
  const document = await workspace.openTextDocument(uri);
  const lines = `${range.start.line + 1}-${range.end.line + 1}`;
  return textAttachment(
    `${workspace.asRelativePath(uri)}, lines ${lines}`,
    document.getText(range),
  );
}

interface ImageReference {
  readonly mimeType: string;
  data(): Thenable<Uint8Array>;
}

/** VS Code's class for images is not part of the stable API. */
const isImage = (value: unknown): value is ImageReference =>
  typeof value === 'object' &&
  value !== null &&
  'mimeType' in value &&
  'data' in value &&
  typeof value.data === 'function';

const nameOf = ({ id, value }: ChatPromptReference & { readonly name?: string }): string =>
  value instanceof Uri ? workspace.asRelativePath(value) : id.replace(/^.*[./]/, '') || id;
