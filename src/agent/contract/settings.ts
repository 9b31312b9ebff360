/** Settings of the engine. */
import type { Effort } from '../../models/effort.ts';
import type { ProviderSettings } from '../../models/createProviders.ts';
import type { PlateauSettings } from '../../watchdogs/plateauSettings.ts';
import type { PermissionMode } from '../../permissions/mode.ts';
import type { Limits } from '../journal/events.ts';

export interface WebSettings {
  /**
   * Base URL of a SearxNG instance. When set, web searches use this instance instead of the
   * provider.
   */
  readonly searxngUrl?: string;
  /** True when `web_fetch` may access addresses of private networks and of this computer. */
  readonly allowsPrivateAddresses?: boolean;
  /** Hosts that `web_fetch` may access without asking: `example.org`, or `*.example.org`. */
  readonly allowedHosts?: readonly string[];
}

/**
 * User-defined endpoint with the Chat Completions API. Its API key is stored as the secret
 * `endpoint-<id>`.
 */
export interface EndpointSettings {
  /** Id of the endpoint's provider: lower-case letters, digits and hyphens. */
  readonly id: string;
  readonly label?: string;
  readonly baseUrl: string;
  readonly defaultModel?: string;
  /** Context window of models for which the endpoint reports none. */
  readonly contextTokens?: number;
  readonly maxOutputTokens?: number;
  /**
   * Form of tool calls: `native` is the form of the API, `text` writes the calls into the text of
   * messages. Default: `native`, until the endpoint rejects a request with tools.
   */
  readonly toolCalls?: 'native' | 'text';
  readonly acceptsImages?: boolean;
  /** True when requests contain the parameter `reasoning_effort`. */
  readonly sendsEffort?: boolean;
  /** Temperature of every request, from 0 to 2. Default: none is sent. */
  readonly temperature?: number;
  /** HTTP headers of every request. Must not contain keys. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Settings of the engine, which are read again for each session. */
export interface EngineSettings extends ProviderSettings {
  readonly permissionMode: PermissionMode;
  /**
   * True if the user gave the permission mode for this process. Otherwise, the choice of the user
   * for a folder takes precedence.
   */
  readonly isModeGiven?: boolean;
  /**
   * Which mode of a resumed session stays in force, unless `isModeGiven`: `given`, the mode that the
   * user gave for it; `recorded`, also any other mode that it had, because no model is called.
   * Default: none, because the user changes the mode while a session is open.
   */
  readonly keepsMode?: 'given' | 'recorded';
  /** The user's `NotificationSettings`, not validated yet; the notifier validates them. */
  readonly notifications?: unknown;
  /**
   * True when Helios prevents commands and runs from changing the user's repositories with git.
   * Default: true.
   */
  readonly protectsGit?: boolean;
  /**
   * Whether commands and runs are confined with bubblewrap: `auto` in permission mode `mandate`,
   * where possible; `always` runs nothing where that is not possible. Default: `auto`.
   */
  readonly confinement?: 'auto' | 'always' | 'never';
  /**
   * Variables that runs on this computer get in addition to those of data and tracking services:
   * names, or the beginning of names with an asterisk.
   */
  readonly passEnvironment?: readonly string[];
  /**
   * Maximum size of a file that is stored with the code of an experiment; larger files are omitted.
   * Default: 10 MB.
   */
  readonly maxKeptFileBytes?: number;
  /** Minutes after which every run and every point of a sweep ends. Default: no such limit. */
  readonly runMinutes?: number;
  readonly endpoints?: readonly EndpointSettings[];
  /** Hosts to connect to without the proxy, in the format of `NO_PROXY`. */
  readonly noProxy?: string;
  /** Limits per day for all sessions together. */
  readonly dayLimits?: Pick<Limits, 'usd' | 'tokens'>;
  /** Model that the tool `consult` asks. Default: a model of another provider that is ready. */
  readonly consult?: { readonly provider: string; readonly model?: string };
  readonly web?: WebSettings;
  /**
   * Prices by `provider/model`: `{ input, output, cacheRead?, cacheWrite? }` in USD per million
   * tokens. These prices override the built-in ones.
   */
  readonly prices?: Readonly<Record<string, unknown>>;
  readonly effort?: Effort;
  /** True when the computer must not go to sleep while a session works or waits. */
  readonly keepAwake?: boolean;
  /** Whether Helios writes a brief when a session with at least one run ends. Default: `always`. */
  readonly report?: 'always' | 'never';
  /**
   * Number of consecutive turns without progress (a new run, a file change or a memory write) after
   * which the session ends with `no_progress`. A turn with tool calls but without progress counts
   * as one sixth of a turn.
   */
  readonly idleTurns: number;
  /**
   * Settings of the watchdogs, as `watchdogSettingsSchema` defines them. The project's settings
   * take precedence.
   */
  readonly watchdogs?: Readonly<Record<string, unknown>>;
  /** Settings for detecting a plateau. The project's settings take precedence. */
  readonly plateau?: PlateauSettings;
}
