/** Converts a brief for the chat, which supports neither anchors nor images. */

/** Removes anchors, images, and links into other files of the report. */
export const briefForChat = (markdown: string): string =>
  markdown
    .replace(/ \[All [^\]\n]*\]\(runs\.md\)$/m, '')
    .replace(/<a id="[\w-]+"><\/a>/g, '')
    .replace(/\[((?:run )?[\w-]+)\]\((?:runs\.md)?#[\w-]+\)/g, '$1')
    .replace(/^!\[.*\n+/gm, '')
    .trimEnd();
