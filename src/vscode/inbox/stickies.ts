/** Parses `/sticky`: add a text, remove a number, or list. */

export type StickyAsk =
  | { readonly kind: 'list' }
  | { readonly kind: 'pin'; readonly text: string }
  | { readonly kind: 'unpin'; readonly number: number };

/** `rm 2` removes, an empty prompt lists, any other text is added. */
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
