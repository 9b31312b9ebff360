/** Settings of the engine. */
import type { ProviderSettings } from '../../models/createProviders.ts';
import type { PlateauSettings } from '../../watchdogs/plateauSettings.ts';
import type { Limits } from '../journal/events.ts';

export type PermissionMode = 'ask' | 'allow';

export interface WebSettings {
  /** Base URL of a SearxNG instance, which then searches instead of the provider. */
  readonly searxngUrl?: string;
  /** Lets `web_fetch` reach addresses of private networks and of this computer. */
  readonly allowsPrivateAddresses?: boolean;
}

/** User-defined endpoint that speaks Chat Completions. Its key is the secret `endpoint-<id>`. */
export interface EndpointSettings {
  /** Lower case letters, digits and hyphens; the id of its provider. */
  readonly id: string;
  readonly label?: string;
  readonly baseUrl: string;
  readonly defaultModel?: string;
  /** Context window of models that the endpoint does not describe itself. */
  readonly contextTokens?: number;
  readonly maxOutputTokens?: number;
  /** Default: native, until the endpoint refuses tools. */
  readonly toolCalls?: 'native' | 'text';
  readonly acceptsImages?: boolean;
  /** Sends `reasoning_effort`. */
  readonly sendsEffort?: boolean;
  /** Sent with every request. Must not contain keys. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Settings of the engine, read again for each session. */
export interface EngineSettings extends ProviderSettings {
  readonly permissionMode: PermissionMode;
  /** Unchecked value of the user: `NotificationSettings`, checked where it is used. */
  readonly notifications?: unknown;
  /** Allows commands of a `helios.json` to run on events. */
  readonly allowsProjectCommands?: boolean;
  /** Prevents commands and runs from changing the user's repositories with git. Default: true. */
  readonly protectsGit?: boolean;
  /** Size above which files are not stored with the code of experiments. Default: 10 MB. */
  readonly maxKeptFileBytes?: number;
  readonly endpoints?: readonly EndpointSettings[];
  /** Hosts that are reached without the proxy, as in `NO_PROXY`. */
  readonly noProxy?: string;
  /** Limits for all sessions of a day together. */
  readonly dayLimits?: Pick<Limits, 'usd' | 'tokens'>;
  /** Model that `consult` asks. Default: another provider that is ready. */
  readonly consult?: { readonly provider: string; readonly model?: string };
  readonly web?: WebSettings;
  /**
   * Prices: provider/model → USD per million tokens `{ input, output, cacheRead?, cacheWrite? }`.
   * Extends the built-in table.
   */
  readonly prices?: Readonly<Record<string, unknown>>;
  readonly effort?: 'none' | 'low' | 'medium' | 'high' | 'max';
  /** Prevents the computer from sleeping while a session works or waits. */
  readonly keepAwake?: boolean;
  /** Whether a brief is written when a session with at least one run ends. Default: always. */
  readonly report?: 'always' | 'never';
  /**
   * Consecutive turns without a new run, file change or memory write after which a session ends
   * with `no_progress`.
   */
  readonly idleTurns: number;
  /** Shape: `watchdogSettingsSchema`. Settings of the project take precedence. */
  readonly watchdogs?: Readonly<Record<string, unknown>>;
  /** Settings of the project take precedence. */
  readonly plateau?: PlateauSettings;
}
