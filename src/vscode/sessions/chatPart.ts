/** The parts of a chat reply, independent of VS Code's chat stream. */
import type { SessionId } from '../../base/ids.ts';
import type { CommandLink } from '../ui/commandLinks.ts';
import type { CommandId } from '../ui/contributions.ts';

export type ChatPart =
  /** Text of the model, streamed or whole, as the model wrote it. */
  | { readonly kind: 'text'; readonly markdown: string }
  /**
   * A paragraph by Helios. `icon`: codicon id. `markdown`: escaped Markdown. `files`: absolute
   * paths of the changed files, shown as links. `edited`: the session whose edits of these files
   * can be shown. `button`: a button below the line.
   */
  | {
      readonly kind: 'line';
      readonly icon: string;
      readonly markdown: string;
      readonly files?: readonly string[];
      readonly edited?: SessionId;
      readonly button?: { readonly command: CommandId; readonly title: string };
      /** A link below the text. */
      readonly link?: CommandLink;
    }
  /** Links that run commands, on a line of their own. */
  | { readonly kind: 'links'; readonly links: readonly CommandLink[] }
  /** A separate block by Helios, such as a table: escaped Markdown. */
  | { readonly kind: 'block'; readonly markdown: string }
  /** Progress text, shown until another part follows. */
  | { readonly kind: 'progress'; readonly text: string }
  /** Progress text about a repeated model call, with the time until then counted down. */
  | { readonly kind: 'retry'; readonly why: string; readonly retryMs: number };

/** Returns a paragraph by Helios. */
export const line = (icon: string, markdown: string, files: readonly string[] = []): ChatPart =>
  files.length === 0 ? { kind: 'line', icon, markdown } : { kind: 'line', icon, markdown, files };
