/** Kinds of sessions: a goal, a question. They differ in a profile, not in code paths. */
import type { Budget, ProfileId } from '../journal/events.ts';
import type { Tool } from '../../tools/tool.ts';

export interface AgentProfile {
  readonly id: ProfileId;
  /**
   * Returns the stable sections of the system prompt, in order. `tools`: the tools of the session.
   */
  sections(tools: readonly Tool[]): readonly string[];
  /** Returns the first message, with the limits as text. */
  opening(text: string, limits: readonly string[]): string;
  /** True when sessions of this kind have the tool. */
  includes(tool: Tool): boolean;
  /**
   * Meaning of a reply without a tool call.
   * - `work`: none. The session ends through its tools, and the model gets a reminder.
   * - `answer`: the reply is the answer and ends the session.
   */
  readonly replyMeans: 'work' | 'answer';
  /** Narrows the permissions of settings and project. Default: those. */
  readonly permissions?: 'read';
  /** Limits that apply where neither the request nor settings and project set one. */
  readonly limits: Budget;
}
