/** The text of a brief for the chat, which supports neither anchors nor images. */

/** Removes anchors, images, and the table of runs, which is too wide for the chat. */
export const briefForChat = (markdown: string): string =>
  markdown
    .replace(/^## Runs \([\s\S]*$/m, '')
    .replace(/<a id="[\w-]+"><\/a>/g, '')
    .replace(/\[((?:run )?[\w-]+)\]\(#[\w-]+\)/g, '$1')
    .replace(/^!\[[^\]\n]*\]\([^)\n]*\)\n+/gm, '')
    .trimEnd();
