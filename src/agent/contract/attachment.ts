/** A file, a selection or an image that the user attached to a message. */
export interface Attachment {
  /** Shown to the user and the model: `train.py`, `train.py, lines 3-9`. */
  readonly name: string;
  /** `text/plain` for any text; otherwise the type of an image or a PDF. */
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** Maximum size of an attached text or file, in bytes. */
export const maxAttachmentBytes = { text: 128 * 1024, other: 10 * 1024 * 1024 } as const;
