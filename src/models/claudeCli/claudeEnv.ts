/**
 * The environment of the `claude` process that Helios starts: includes the user's variables for
 * `claude`, and no variables of Helios.
 */
import type { Environment } from '../../base/childEnvironment.ts';

const passedNames = new Set(
  [
    'PATH HOME USER LOGNAME SHELL LANG LANGUAGE TERM TZ TMPDIR TEMP TMP',
    'HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR',
    'SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT APPDATA LOCALAPPDATA USERPROFILE USERNAME PROGRAMDATA PROGRAMFILES',
    'API_TIMEOUT_MS DBUS_SESSION_BUS_ADDRESS',
  ].flatMap((line) => line.split(' ')),
);
const passedPrefixes = ['LC_', 'XDG_', 'CLAUDE_', 'ANTHROPIC_'];
/**
 * Prefixes of variables with credentials of a cloud. They are passed on only if `claude` is
 * configured for that cloud.
 */
const cloudPrefixes: Readonly<Record<string, readonly string[]>> = {
  CLAUDE_CODE_USE_BEDROCK: ['AWS_'],
  CLAUDE_CODE_USE_VERTEX: ['GOOGLE_', 'VERTEX_', 'CLOUDSDK_', 'GCLOUD_'],
};

const neverMs = '2000000000';

/**
 * Settings of `claude` that are always set. With these, `claude` does not retry, compact the
 * conversation, or truncate results and descriptions; sends all tools with every request, under
 * their own names; and makes only the requests to the model.
 */
const fixed: Readonly<Record<string, string>> = {
  CLAUDE_CODE_MAX_RETRIES: '0',
  CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: '1',
  CLAUDE_CODE_DISABLE_REFUSAL_RETRY: '1',
  CLAUDE_CODE_DISABLE_REFUSAL_FALLBACK: '1',
  CLAUDE_CODE_DISABLE_MODEL_ACCESS_FALLBACK: '1',
  DISABLE_COMPACT: '1',
  ENABLE_TOOL_SEARCH: 'false',
  CLAUDE_AGENT_SDK_MCP_NO_PREFIX: '1',
  CLAUDE_CODE_MAX_MCP_DESCRIPTION_LENGTH: '1000000',
  MAX_MCP_OUTPUT_TOKENS: '1000000',
  MCP_TOOL_TIMEOUT: neverMs,
  CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS: '0',
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
  CLAUDE_CODE_DISABLE_ATTACHMENTS: '1',
  CLAUDE_CODE_DISABLE_CLAUDE_MDS: '1',
  CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  CLAUDE_AGENT_SDK_CLIENT_APP: 'helios',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  DISABLE_AUTOUPDATER: '1',
};

export function childEnvironment(
  env: Environment,
  maxOutputTokens: number,
): Record<string, string> {
  const clouds = Object.entries(cloudPrefixes).flatMap(([name, prefixes]) =>
    isOn(env[name]) ? prefixes : [],
  );
  const prefixes = [...passedPrefixes, ...clouds];
  const isPassed = (name: string): boolean =>
    passedNames.has(name.toUpperCase()) || prefixes.some((prefix) => name.startsWith(prefix));
  const passed = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && isPassed(name) ? [[name, value] as const] : [],
  );
  return {
    ...Object.fromEntries(passed),
    ...fixed,
    CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(maxOutputTokens),
  };
}

const isOn = (value: string | undefined): boolean =>
  value !== undefined && !['', '0', 'false'].includes(value);

/**
 * Returns the API key or token that `claude` reads from the environment, if any. With such a key,
 * each call is billed.
 */
export const keyInEnvironment = (env: Environment): string | undefined =>
  env['ANTHROPIC_API_KEY']?.trim() || env['ANTHROPIC_AUTH_TOKEN']?.trim() || undefined;

export const isMetered = (env: Environment): boolean =>
  keyInEnvironment(env) !== undefined || Object.keys(cloudPrefixes).some((name) => isOn(env[name]));
