/** The ways out of a failed model call that ended a session. */
import type { ChatResponseStream } from 'vscode';
import type { SessionState } from '../../agent/journal/state.ts';
import { billingUrlOf } from '../../compose/providers.ts';
import { settingKey, type SettingName } from '../../presentation/settings/settings.ts';
import { keyFor } from '../models/keyNames.ts';
import { showButton } from './chatStream.ts';

type ShowButton = (stream: ChatResponseStream) => void;

/** Returns the buttons for a session that a failed model call ended; none for any other session. */
export function failureButtons({ id, provider, end }: SessionState): readonly ShowButton[] {
  if (end?.failure === undefined) return [];
  const tryAgain: ShowButton = (stream) => showButton(stream, 'helios.tryAgain', 'Try Again', id);
  switch (end.failure.reason) {
    case 'auth':
      return [...keyButtons(provider, id), tryAgain];
    case 'credit':
      return [...consoleLinks(provider), tryAgain];
    case 'not_api':
      return [settingsButton(provider), tryAgain];
    default:
      return [tryAgain];
  }
}

function keyButtons(provider: string, session: string): readonly ShowButton[] {
  if (provider === 'chatgpt')
    return [(stream) => showButton(stream, 'helios.signIn', 'Sign In to ChatGPT')];
  return keyFor(provider) === undefined
    ? []
    : [(stream) => showButton(stream, 'helios.setApiKey', 'Set API Key', provider, { session })];
}

function consoleLinks(provider: string): readonly ShowButton[] {
  const url = billingUrlOf(provider);
  return url === undefined
    ? []
    : [(stream) => stream.markdown(`[Add credit in the console](${url})\n\n`)];
}

const addresses: Readonly<Record<string, SettingName>> = {
  claude: 'providers.anthropicBaseUrl',
  openai: 'providers.openaiBaseUrl',
  gemini: 'providers.geminiBaseUrl',
  bedrock: 'providers.bedrockBaseUrl',
  chatgpt: 'providers.chatgptBaseUrl',
  compatible: 'providers.compatibleBaseUrl',
};

/** Opens the settings that decide where requests to the provider go. */
function settingsButton(provider: string): ShowButton {
  const names: readonly SettingName[] = [addresses[provider] ?? 'endpoints', 'network.proxy'];
  const query = `@id:${names.map(settingKey).join(',')}`;
  return (stream) =>
    stream.button({
      command: 'workbench.action.openSettings',
      title: 'Open Settings',
      arguments: [query],
    });
}
