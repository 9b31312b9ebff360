/**
 * A profile defines a kind of session: a goal or a question. Kinds of sessions differ only in their
 * profile; the code is the same.
 */
import type { OpeningFacts } from '../context/prompt.ts';
import type { Budget, ProfileId } from '../journal/events.ts';
import type { Tool } from '../../tools/tool.ts';

export interface AgentProfile {
  readonly id: ProfileId;
  /**
   * Returns the sections of the system prompt that stay the same for the whole session, in order.
   * `tools` are the session's tools.
   */
  sections(tools: readonly Tool[]): readonly string[];
  /** Returns the first message to the model: the user's text, the target and the session's limits. */
  opening(text: string, facts: OpeningFacts): string;
  /** True when sessions of this profile have the tool. */
  includes(tool: Tool): boolean;
  /**
   * Meaning of a reply without a tool call.
   * - `work`: the session ends only through tools, so the model gets a reminder to continue.
   * - `answer`: the reply is the answer and ends the session.
   */
  readonly replyMeans: 'work' | 'answer';
  /**
   * Restricts sessions of this profile to reading. Default: the permissions of the settings and the
   * project apply.
   */
  readonly permissions?: 'read';
  /** Default limits, used where the request, the settings and the project set none. */
  readonly limits: Budget;
}
