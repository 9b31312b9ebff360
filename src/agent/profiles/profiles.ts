import type { ProfileId } from '../journal/events.ts';
import { goalProfile } from './goal.ts';
import type { AgentProfile } from './profile.ts';
import { questionProfile } from './question.ts';

const profiles: Readonly<Record<ProfileId, AgentProfile>> = {
  goal: goalProfile,
  question: questionProfile,
};

export const profileOf = (id: ProfileId): AgentProfile => profiles[id];
