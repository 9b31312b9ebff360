/**
 * The providers of Helios. Settings, keys, the command line and the documentation are derived from
 * this list.
 */

/**
 * Credentials that a provider needs:
 * - `key`: requires an API key
 * - `optionalKey`: may have credentials of its own, or need none
 * - `signIn`: requires a sign-in
 * - `none`: uses no key of Helios
 */
export type ProviderAuth = 'key' | 'optionalKey' | 'signIn' | 'none';

export interface ProviderDeclaration {
  readonly label: string;
  /** Markdown shown next to the id when the user chooses a provider. */
  readonly description: string;
  readonly auth: ProviderAuth;
  /**
   * Name of the secret with the key or the sign-in. The `helios` command also uses it as the name
   * of the secret's file in the folder `auth`.
   */
  readonly secret?: string;
  /** Environment variables with the key; the first that is set is used. */
  readonly variables?: readonly string[];
  /** Page of the provider's console on which the user adds credit. */
  readonly billingUrl?: string;
  /** Available only while a window of VS Code is open. */
  readonly needsWindow?: true;
}

export const providers = {
  claude: {
    label: 'Anthropic',
    description: 'Anthropic Messages API. Requires an API key.',
    auth: 'key',
    secret: 'anthropic',
    variables: ['ANTHROPIC_API_KEY'],
    billingUrl: 'https://console.anthropic.com/settings/billing',
  },
  'claude-cli': {
    label: 'Claude (your claude command)',
    description:
      'Your own `claude` command (Claude Code), with the account that it is signed in to.',
    auth: 'none',
  },
  openai: {
    label: 'OpenAI',
    description: 'OpenAI Responses API. Requires an API key.',
    auth: 'key',
    secret: 'openai',
    variables: ['OPENAI_API_KEY'],
    billingUrl: 'https://platform.openai.com/settings/organization/billing',
  },
  gemini: {
    label: 'Google Gemini',
    description: 'Gemini API. Requires an API key.',
    auth: 'key',
    secret: 'gemini',
    variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    billingUrl: 'https://aistudio.google.com/usage',
  },
  bedrock: {
    label: 'AWS Bedrock',
    description:
      'Claude models on AWS, with the credentials of the `aws` command or a Bedrock API key.',
    auth: 'optionalKey',
    secret: 'bedrock',
    variables: ['AWS_BEARER_TOKEN_BEDROCK'],
  },
  chatgpt: {
    label: 'ChatGPT (your subscription)',
    description:
      'OpenAI models through your ChatGPT subscription. Requires a sign-in: **Helios: Sign In to ChatGPT**, or `helios auth login`.',
    auth: 'signIn',
    secret: 'chatgpt',
  },
  compatible: {
    label: 'OpenAI-compatible endpoint',
    description:
      'An endpoint that speaks the Chat Completions API of OpenAI. Requires the address of the endpoint.',
    auth: 'optionalKey',
    secret: 'compatible',
    variables: ['OPENAI_API_KEY'],
  },
  vscode: {
    label: 'VS Code',
    description:
      'Models of other extensions, such as GitHub Copilot. Available only while a window is open.',
    auth: 'none',
    needsWindow: true,
  },
  demo: {
    label: 'Offline demo (scripted, not a language model)',
    description:
      'A scripted researcher, not a language model. Works without a key, on the demo project only.',
    auth: 'none',
  },
} as const satisfies Readonly<Record<string, ProviderDeclaration>>;

export type ProviderId = keyof typeof providers;
/** Providers that need no window. */
export type ProviderName = Exclude<ProviderId, 'vscode'>;

export const providerIds = Object.keys(providers) as readonly ProviderId[];
export const declarationOf = (id: ProviderId): ProviderDeclaration => providers[id];
export const providerNames = providerIds.filter(
  (id): id is ProviderName => !declarationOf(id).needsWindow,
);

/** Storage of the key, or of the sign-in, of a provider. */
export interface KeySource {
  readonly provider: ProviderName;
  readonly label: string;
  readonly auth: Exclude<ProviderAuth, 'none'>;
  readonly secret: string;
  readonly variables: readonly string[];
}

export const keySources: readonly KeySource[] = providerNames.flatMap((provider) => {
  const { label, auth, secret, variables = [] } = declarationOf(provider);
  return secret === undefined || auth === 'none'
    ? []
    : [{ provider, label, auth, secret, variables }];
});

/** Returns the identity of a provider whose key the user sets. */
export function keyedIdentity(id: 'claude' | 'openai' | 'gemini' | 'compatible') {
  const { label, variables = [], billingUrl } = declarationOf(id);
  const keyHint = `Set ${variables[0]} in the environment, or run “Helios: Set API Key” in VS Code.`;
  return { id, label, keyHint, billingUrl };
}
