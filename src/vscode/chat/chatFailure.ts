/** The ways out of a failed model call that ended a session. */
import type { ChatResponseStream } from 'vscode';
import type { SessionState } from '../../agent/journal/state.ts';
import { billingUrlOf } from '../../compose/providers.ts';
import { settingKey, type SettingName } from '../../presentation/settings/settings.ts';
import type { ModelFailure } from '../../models/model.ts';
import type { CommandLink } from '../ui/commandLinks.ts';
import { keyFor } from '../models/keyNames.ts';
import { showButton } from './chatStream.ts';

type ShowPart = (stream: ChatResponseStream) => void;

/** At most one of `parts` is a button, so that it is clear what to do; the rest are links. */
export interface WaysOut {
  readonly parts: readonly ShowPart[];
  readonly links: readonly CommandLink[];
}

/** Returns the ways out for a session that a failed model call ended; none for other sessions. */
export function waysOut({ id, provider, end }: SessionState): WaysOut {
  if (end?.failure === undefined) return { parts: [], links: [] };
  const button = buttonFor(end.failure.reason, provider, id);
  if (button !== undefined) return { parts: [button], links: [{ title: 'Try Again', args: [id] }] };
  const tryAgain: ShowPart = (stream) => showButton(stream, 'helios.tryAgain', 'Try Again', id);
  const first = end.failure.reason === 'credit' ? consoleLinks(provider) : [];
  return { parts: [...first, tryAgain], links: [] };
}

/** Returns the button that leads to what must change before another try can succeed. */
function buttonFor(
  reason: ModelFailure['reason'],
  provider: string,
  session: string,
): ShowPart | undefined {
  if (reason === 'not_api') return settingsButton(provider);
  if (reason !== 'auth') return undefined;
  if (provider === 'chatgpt')
    return (stream) => showButton(stream, 'helios.signIn', 'Sign In to ChatGPT');
  return keyFor(provider) === undefined
    ? undefined
    : (stream) => showButton(stream, 'helios.setApiKey', 'Set API Key', provider, { session });
}

function consoleLinks(provider: string): readonly ShowPart[] {
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
function settingsButton(provider: string): ShowPart {
  const names: readonly SettingName[] = [addresses[provider] ?? 'endpoints', 'network.proxy'];
  const query = `@id:${names.map(settingKey).join(',')}`;
  return (stream) =>
    stream.button({
      command: 'workbench.action.openSettings',
      title: 'Open Settings',
      arguments: [query],
    });
}
