/** Recognises answers that come from no API, such as the page of a proxy or of a sign-in. */
import { UserFacing } from '../base/errors.ts';

const isPage = (type: string): boolean => /^(text\/html|application\/xhtml)/i.test(type);
/** Gateways answer with pages while a service is down or busy; then, waiting helps. */
const isTemporary = (status: number): boolean => status >= 500 || [408, 425, 429].includes(status);

/**
 * Returns a `fetch` that rejects with `UserFacing` (`not_api`) if the answer is a web page. The error
 * names the address and the content type.
 */
export const apiFetch =
  (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    const type = response.headers.get('content-type') ?? '';
    if (!isPage(type) || isTemporary(response.status)) return response;
    await response.body?.cancel();
    const asked = input instanceof Request ? input.url : String(input);
    throw new UserFacing(
      `the answer of ${withoutQuery(response.url || asked)} is a web page (${type.split(';', 1)[0]}), not an API.`,
      'Check the address and the proxy in the settings.',
      'not_api',
    );
  };

/** Omits what may be secret: user name, password and query. */
function withoutQuery(address: string): string {
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname}`;
}
