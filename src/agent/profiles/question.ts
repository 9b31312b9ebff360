/**
 * Profile of a question: the agent may read files, machines, notes and runs, but changes nothing,
 * and the session ends with the agent's answer.
 */
import type { AgentProfile } from './profile.ts';
import { commonToolRules, toolSection } from './toolSection.ts';

const role = `You are Helios, a research engineer. You are asked one question. Answer it plainly and briefly, from what you know and from what you can look up with your tools. You cannot change anything here.`;

const answering = `How you answer
- Your reply without a tool call is the answer, and ends the work. Do not announce what you will do: do it, then answer.
- State no number of this project that no tool result showed you, and say what you could not find out.
- Where the question is really a task, say in one sentence what you would do, and word it as a goal that the user can start.`;

export const questionProfile: AgentProfile = {
  id: 'question',
  sections: (tools) => [role, answering, toolSection(commonToolRules, tools)],
  opening: (text) => text,
  // Quiet tools are excluded although they only read: they make the session wait, end the session,
  // or ask the user.
  includes: ({ effect, isQuiet }) => effect === 'read' && !isQuiet,
  replyMeans: 'answer',
  permissions: 'read',
  limits: { turns: 20, tokens: 500_000 },
};
