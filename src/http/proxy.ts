/** Reads proxy addresses from settings and the environment. */
import { UserFacing } from '../base/errors.ts';

/**
 * Parses the URL of a proxy. Throws `UserFacing` with a message that does not contain the password.
 */
export function parseProxy(text: string): URL {
  const url = URL.parse(/^[a-z0-9+.-]+:\/\//i.test(text) ? text : `http://${text}`);
  if (url !== null && /^(https?|socks5):$/.test(url.protocol) && url.hostname !== '') return url;
  throw new UserFacing(
    `“${text.replace(/\/\/.*@/, '//…@')}” is not a proxy address.`,
    'Use an address like http://proxy.example.org:3128 or socks5://127.0.0.1:1080 (setting proxy, or HTTPS_PROXY).',
  );
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the proxy from `HTTPS_PROXY`, `ALL_PROXY` or `HTTP_PROXY`, in this order, and the hosts
 * that are reached without the proxy from `NO_PROXY`. Each name may also be in lower case.
 */
export function proxyOf(env: Environment): { readonly proxy?: string; readonly noProxy?: string } {
  const first = (...names: readonly string[]): string | undefined =>
    names
      .flatMap((name) => [env[name], env[name.toLowerCase()]])
      .find((value) => value?.trim())
      ?.trim();
  const proxy = first('HTTPS_PROXY', 'ALL_PROXY', 'HTTP_PROXY');
  const noProxy = first('NO_PROXY');
  return { ...(proxy && { proxy }), ...(noProxy && { noProxy }) };
}
