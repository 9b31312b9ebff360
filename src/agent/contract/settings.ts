/** Settings of the engine. */
import type { ProviderSettings } from '../../models/createProviders.ts';
import type { PlateauSettings } from '../../watchdogs/plateauSettings.ts';
import type { Limits } from '../journal/events.ts';

export type PermissionMode = 'ask' | 'allow';

export interface WebSettings {
  /** The base URL of a SearxNG instance; it then searches in place of the provider. */
  readonly searxngUrl?: string;
  /** Lets `web_fetch` reach addresses of private networks and of this computer. */
  readonly allowsPrivateAddresses?: boolean;
}

/**
 * An endpoint of the user's own that speaks Chat Completions. Its key is the secret
 * `endpoint-<id>`.
 */
export interface EndpointSettings {
  /** Lower case letters, digits and hyphens; the id of its provider. */
  readonly id: string;
  readonly label?: string;
  readonly baseUrl: string;
  readonly defaultModel?: string;
  /** Of models that the endpoint does not describe itself. */
  readonly contextTokens?: number;
  readonly maxOutputTokens?: number;
  /** Default: native, until the endpoint refuses tools. */
  readonly toolCalls?: 'native' | 'text';
  readonly acceptsImages?: boolean;
  /** Sends `reasoning_effort`. */
  readonly sendsEffort?: boolean;
  /** Sent with every request; never a place for keys. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What may be configured; read anew for each session. */
export interface EngineSettings extends ProviderSettings {
  readonly permissionMode: PermissionMode;
  /** As the user wrote it: `NotificationSettings`, checked where it is used. */
  readonly notifications?: unknown;
  /** Lets commands of a `helios.json` be run when something happens. */
  readonly allowsProjectCommands?: boolean;
  /** Commands and runs cannot change the user's repositories with git. Default: true. */
  readonly protectsGit?: boolean;
  /** Files that are larger are not kept with the code of experiments. Default: 10 MB. */
  readonly maxKeptFileBytes?: number;
  readonly endpoints?: readonly EndpointSettings[];
  /** Hosts that are reached without the proxy, as in `NO_PROXY`. */
  readonly noProxy?: string;
  /** Of all sessions of a day together. */
  readonly dayLimits?: Pick<Limits, 'usd' | 'tokens'>;
  /** Whom `consult` asks; otherwise another provider that is ready. */
  readonly consult?: { readonly provider: string; readonly model?: string };
  readonly web?: WebSettings;
  /**
   * provider/model → USD per million tokens `{ input, output, cacheRead?, cacheWrite? }`; extends
   * the built-in table.
   */
  readonly prices?: Readonly<Record<string, unknown>>;
  readonly effort?: 'none' | 'low' | 'medium' | 'high' | 'max';
  /** The computer does not go to sleep by itself while a session works or waits. */
  readonly keepAwake?: boolean;
  /** Whether a brief is written when a session ends that made at least one run. Default: always. */
  readonly report?: 'always' | 'never';
  /**
   * Turns in a row without a new run, file change or memory write after which a session ends with
   * `no_progress`.
   */
  readonly idleTurns: number;
  /** As `watchdogSettingsSchema` has it; what a project says goes before it. */
  readonly watchdogs?: Readonly<Record<string, unknown>>;
  /** What a project says goes before it. */
  readonly plateau?: PlateauSettings;
}
