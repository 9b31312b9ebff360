/** Reports the source of the key or sign-in of each provider, never the key itself. */
import { adviceOf } from '../../base/errors.ts';
import { keySources, type KeySource } from '../../compose/providers.ts';
import { accountLabel, parseSignedIn, tokensName } from '../../compose/signedIn.ts';
import { columnsText } from '../screen/columns.ts';
import { findKey } from './keys.ts';

export interface AuthRow {
  readonly provider: string;
  readonly source: 'environment' | 'file' | 'none';
  /** Name of the variable or path of the file with the key. */
  readonly from?: string;
  /** The account that is signed in. */
  readonly account?: string;
  /** Why the key cannot be used, or how to get a key. */
  readonly note?: string;
}

/**
 * Resolves with one row per provider. If a key cannot be read, the note of the row says why. Never
 * rejects.
 */
export function authStatus(
  env: Readonly<Record<string, string | undefined>>,
  authFolder: string,
): Promise<readonly AuthRow[]> {
  const row = async (source: KeySource): Promise<AuthRow> => {
    const { provider } = source;
    try {
      const found = await findKey(source, env, authFolder);
      if (found === undefined) return { provider, source: 'none', note: howTo(source) };
      const { value, ...origin } = found;
      return { provider, ...origin, ...(source.secret === tokensName && accountOf(value)) };
    } catch (error) {
      return { provider, source: 'file', note: adviceOf(error) };
    }
  };
  return Promise.all(keySources.map(row));
}

const howTo = ({ variables, secret, provider }: KeySource): string =>
  secret === tokensName
    ? 'helios auth login'
    : `helios auth login ${provider}, or set ${variables.join(' or ')}`;

function accountOf(text: string): Pick<AuthRow, 'account' | 'note'> {
  const tokens = parseSignedIn(text);
  return tokens === undefined
    ? { note: 'damaged: sign in again' }
    : { account: accountLabel(tokens) };
}

export const statusText = (rows: readonly AuthRow[], columns: number): string =>
  columnsText(['provider', 'source', 'from', ''], rows.map(cellsOf), columns);

const cellsOf = ({ provider, source, from = '', account = '', note = '' }: AuthRow): string[] => [
  provider,
  source,
  from,
  [account, note].filter(Boolean).join(', '),
];
