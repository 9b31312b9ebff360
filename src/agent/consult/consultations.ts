/**
 * Second opinions: sends one question to another model, without tools and within a time limit.
 * Never prompts the user to sign in.
 */
import type { Clock } from '../../base/clock.ts';
import { ToolFailure } from '../../base/errors.ts';
import type { ModelProvider, ModelRequest } from '../../models/model.ts';
import type { ModelCatalogue } from '../../models/modelCatalogue.ts';
import type { Consultant, Question } from '../../tools/session/consult.ts';
import type { EngineSettings } from '../contract/settings.ts';
import { askOnce, maxAnswerTokens } from './askOnce.ts';
import { readinessOf, type SideCalls } from './sideCalls.ts';

export interface ConsultationsDeps {
  readonly calls: SideCalls;
  readonly models: ModelCatalogue;
  readonly clock: Clock;
  providers(): ReadonlyMap<string, ModelProvider>;
  settings(): Pick<EngineSettings, 'consult' | 'effort'>;
  /** Returns the id of the session's provider. */
  own(): string;
}

const system = `You give a second opinion to an autonomous research agent that trains and measures models unattended. It asks you one question; it cannot answer back, and nobody else reads this. You have no tools and see only what is written here.
Answer the question itself first, then why. Be concrete: name the change, the value, the test that would tell. Say where you are unsure, what is missing to judge, and what result would change your mind. Contradict where the plan is wrong. Never present a number as measured that is not in front of you.`;

export const createConsultations = (deps: ConsultationsDeps): Consultant => ({
  async consult(question, { callId, signal }) {
    const { provider, model } = await whom(deps, question);
    const request = requestOf(deps, model, question);
    const asked = { provider, request, purpose: 'consult', callId } as const;
    return { provider: provider.label, ...(await askOnce(deps, asked, signal)) };
  },
});

interface Asked {
  readonly provider: ModelProvider;
  readonly model: string;
}

/** Chooses the model to ask. Rejects with `ToolFailure` when none is available. */
async function whom(deps: ConsultationsDeps, question: Question): Promise<Asked> {
  const { consult } = deps.settings();
  if (question.provider !== undefined || question.model !== undefined)
    return readyOne(deps, named(deps, question.model ?? 'default', question.provider));
  if (consult !== undefined)
    return readyOne(deps, named(deps, consult.model ?? 'default', consult.provider));
  const others = [...deps.providers().values()].filter(
    ({ id }) => id !== deps.own() && id !== 'demo',
  );
  for (const provider of others)
    if ((await readinessOf(provider)).isReady) return named(deps, 'default', provider.id);
  throw new ToolFailure(
    'No other model provider is set up. Continue without a second opinion, or name a model of your own provider in the argument model.',
  );
}

function named(deps: ConsultationsDeps, modelName: string, provider: string | undefined): Asked {
  const found = deps.models.resolve(modelName, provider, deps.own());
  const owner = deps.providers().get(found.provider);
  if (owner === undefined) throw new ToolFailure(`There is no model provider ${found.provider}.`);
  return { provider: owner, model: found.model };
}

async function readyOne({ own }: ConsultationsDeps, choice: Asked): Promise<Asked> {
  // The session's own provider is in use, so its readiness need not be checked.
  const readiness = choice.provider.id === own() ? undefined : await readinessOf(choice.provider);
  if (readiness === undefined || readiness.isReady) return choice;
  throw new ToolFailure(
    `${choice.provider.label} cannot be asked: ${readiness.problem} Only the user can fix this: ${readiness.action} Continue without it.`,
  );
}

function requestOf(
  { settings }: ConsultationsDeps,
  model: string,
  { question, context }: Question,
): ModelRequest {
  const contextText =
    context === undefined ? '' : `What the agent says about its work:\n${context}\n\n`;
  return {
    model,
    system: [{ text: system, isStable: true }],
    messages: [
      {
        role: 'user',
        content: [{ type: 'text', text: `${contextText}Its question:\n${question}` }],
      },
    ],
    tools: [],
    maxOutputTokens: maxAnswerTokens,
    effort: settings().effort ?? 'medium',
  };
}
