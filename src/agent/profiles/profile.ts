/** What sessions are for: a goal, a question. They differ in a profile, not in code paths. */
import type { Budget, ProfileId } from '../journal/events.ts';
import type { Tool } from '../../tools/tool.ts';

export interface AgentProfile {
  readonly id: ProfileId;
  /** Stable sections of the system prompt, in order; `tools` are those of the session. */
  sections(tools: readonly Tool[]): readonly string[];
  /** The first message, with the limits in words. */
  opening(text: string, limits: readonly string[]): string;
  /** Whether a session of this kind has the tool. */
  includes(tool: Tool): boolean;
  /**
   * What a reply without a tool call means. `work`: nothing, the session ends through its tools,
   * and the model is reminded. `answer`: the reply is the answer, and ends the session.
   */
  readonly replyMeans: 'work' | 'answer';
  /** Narrows what settings and project allow; absent: as they say. */
  readonly permissions?: 'read';
  /** Limits where neither the request nor settings and project say. */
  readonly limits: Budget;
}
