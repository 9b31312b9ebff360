/** A brief for the chat, which has no places that links could lead to, and no pictures. */

/** Without the table of runs, which is too wide there. */
export const briefForChat = (markdown: string): string =>
  markdown
    .replace(/^## Runs \([\s\S]*$/m, '')
    .replace(/<a id="[\w-]+"><\/a>/g, '')
    .replace(/\[((?:run )?[\w-]+)\]\(#[\w-]+\)/g, '$1')
    .replace(/^!\[[^\n]*\]\([^\n]*\)\n+/gm, '')
    .trimEnd();
