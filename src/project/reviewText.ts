/** Shows the user everything that a project file would send or run. */
import type { ChannelSettings } from '../notify/settings.ts';
import type { ProjectReview } from './projects.ts';
import type { Project } from './projectSchema.ts';

/**
 * Returns a text for the user: what the parts that need an allowance do, followed by these parts in
 * full. Characters that are not visible are written as JSON escapes.
 */
export function reviewText({ file, gated, foreign, isAllowed, warnings }: ProjectReview): string {
  const json = JSON.stringify(gated, null, 2).split('\n');
  const content =
    Object.keys(gated).length === 0
      ? ['Nothing in it needs to be allowed.']
      : [isAllowed ? 'Allowed:' : 'Not allowed:', '', ...json];
  const blocks = [
    [
      file,
      ...(foreign === undefined ? [] : [`${foreign}, so nothing of it counts until you allow it`]),
    ],
    effectsOf(gated).map((effect) => `- ${effect}`),
    content,
    warnings,
  ].filter((lines) => lines.length > 0);
  return `${blocks.map((lines) => lines.map(visible).join('\n')).join('\n\n')}\n`;
}

function effectsOf(project: Project) {
  const { provider, model, defaultMachine, notifications, instructions, mandate } = project;
  return [
    ...(notifications?.channels ?? []).map(effectOf),
    ...(provider === undefined ? [] : [`sends the session to the provider ${provider}`]),
    ...(model === undefined ? [] : [`uses the model ${model}`]),
    ...(defaultMachine === undefined ? [] : [`runs commands on the machine ${defaultMachine}`]),
    ...(mandate === undefined
      ? []
      : ['lets the agent do without asking, in mode mandate, what it lists']),
    ...(instructions === undefined ? [] : ['gives the agent instructions']),
  ];
}

function effectOf(channel: ChannelSettings): string {
  switch (channel.type) {
    case 'vscode':
    case 'desktop':
      return `shows notifications (${channel.type})`;
    case 'webhook':
      return `sends notifications, with the goal and texts of the session, to ${channel.url}`;
    case 'email':
      return `sends notifications, with the goal and texts of the session, to ${[channel.to].flat().join(', ')} by ${channel.host}`;
    case 'command':
      return `runs at each notification: ${channel.command}`;
  }
}

const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}]/gu;

/** Returns the text on one line, with hidden characters as JSON escapes. */
const visible = (text: string): string =>
  text.replace(hidden, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
