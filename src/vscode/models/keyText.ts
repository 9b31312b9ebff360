/** Texts about an API key: the answer of its check, and the loss of a stored key. */
import type { KeyAnswer } from '../../compose/keyCheck.ts';
import { keySources } from '../../compose/providers.ts';
import { oneLine } from '../../base/text.ts';
import type { ProviderKey } from './apiKeys.ts';

/** `answer`: `undefined` if the stored key was deleted. */
export function keyText(
  { label, provider }: Pick<ProviderKey, 'label' | 'provider'>,
  answer: KeyAnswer | undefined,
): string {
  if (answer === undefined) return `The key for ${label} was deleted.`;
  if (answer.kind === 'refused') return `Not stored. ${oneLine(answer.problem, 200)}`;
  if (answer.kind === 'unknown')
    return `The key for ${label} was stored, but not checked. ${oneLine(answer.problem, 200)}`;
  // Endpoints may list their models to anybody.
  const needsKey = keySources.some((one) => one.provider === provider && one.auth === 'key');
  return needsKey
    ? `${label} accepts this key.`
    : `The key for ${label} was stored. The endpoint answers.`;
}

/** Says that VS Code has lost the stored key, and where keys last. */
export const lostKeyText = ({ label, provider, variables }: ProviderKey): string =>
  `The API key for ${label} was stored, but this VS Code did not keep it. Set ${variables[0]} where VS Code is started, or run \`helios auth login ${provider}\` once.`;
