/** Parses the text after `/sticky`, and lists sticky notes for the chat. */

export type StickyAsk =
  | { readonly kind: 'list' }
  | { readonly kind: 'pin'; readonly text: string }
  | { readonly kind: 'unpin'; readonly number: number };

/**
 * Parses the text after `/sticky`: `rm 2` removes note 2, empty text lists the notes, and any other
 * text is added as a note.
 */
export function parseSticky(prompt: string): StickyAsk {
  const text = prompt.trim();
  if (text === '') return { kind: 'list' };
  const number = /^rm\s+#?(\d+)$/i.exec(text)?.[1];
  return number === undefined ? { kind: 'pin', text } : { kind: 'unpin', number: Number(number) };
}

export function stickyList(stickies: ReadonlyMap<number, string>): string {
  if (stickies.size === 0)
    return 'There are no sticky notes. Use `/sticky` with a text that the model should always see.';
  return [...stickies]
    .map(([number, text]) => `- ${number}: ${text.replace(/\s+/g, ' ')}`)
    .join('\n');
}
