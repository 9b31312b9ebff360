/** Events about the tool calls of a reply: what was decided on them, their start and their result. */
import type { RunId } from '../../base/ids.ts';
import type { HostContact } from '../../machines/confinement/hostContacts.ts';
import type { AttachmentBlock } from '../../models/model.ts';
import type { Access } from '../../permissions/access.ts';
import type { Approval } from '../../permissions/grants/grant.ts';
import type { AttachmentFile } from '../../storage/attachmentFiles.ts';
import type { CountedCall, Effect } from '../../tools/tool.ts';

export type CallEvent =
  | {
      readonly type: 'permission.decided';
      readonly callId: string;
      readonly isAllowed: boolean;
      readonly by: 'mode' | 'person' | 'rule' | 'mandate';
      readonly why: string;
      /** Only in journals of older versions: tool that the user allowed for the whole session. */
      readonly allowedTool?: string;
      /** Consents for later calls that the user gave with this answer. */
      readonly grants?: readonly Approval[];
      /** Accesses to anything other than the own data of Helios. Omitted if there are none. */
      readonly accesses?: readonly Access[];
    }
  | {
      readonly type: 'tool.started';
      readonly callId: string;
      readonly name: string;
      readonly effect: Effect;
      /**
       * Whether the tool may change code. Omitted by older versions: then true if the tool's effect
       * is `write` or `execute`.
       */
      readonly changesCode?: boolean;
      /** Verb and object, as returned by `Tool.describe`. */
      readonly title: string;
    }
  | {
      readonly type: 'tool.finished';
      readonly callId: string;
      readonly name: string;
      /**
       * Text for the model, truncated to a maximum length. If the text was truncated, `fullPath` is
       * the file with the full result.
       */
      readonly text: string;
      readonly isError: boolean;
      /** Set for a call that views omit, because they show the event that it caused. */
      readonly isQuiet?: true;
      /** Set for a call that views count together with others, instead of giving it a line. */
      readonly countedAs?: CountedCall;
      readonly durationMs: number;
      readonly summary?: string;
      /** Only in journals of older versions: the content of the attachments. */
      readonly attachments?: readonly AttachmentBlock[];
      /** Stored in the session's folder `attachments` before this event is written. */
      readonly attachmentFiles?: readonly AttachmentFile[];
      readonly changedFiles?: readonly string[];
      /** Web addresses in the result that others wrote. */
      readonly links?: readonly string[];
      readonly exitCode?: number;
      /** Hosts that the command asked for, if it is confined to a list of hosts. */
      readonly contacts?: readonly HostContact[];
      readonly runId?: RunId;
      readonly fullPath?: string;
    };
