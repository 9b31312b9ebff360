/** Formats the result of a call for users: tools answer the model in JSON. */

/** Writes one field per line. Returns text that is not a JSON object or list unchanged. */
export function resultText(text: string): string {
  const value = parsed(text);
  if (Array.isArray(value)) return value.map(plain).join('\n');
  return isRecord(value) ? Object.entries(value).map(field).join('\n') : text;
}

function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Starts a text of several lines, and each entry of a list of objects, on a line of its own. */
function field([name, value]: readonly [string, unknown]): string {
  if (Array.isArray(value) && value.some(isRecord))
    return [`${name}:`, ...value.map((each) => `- ${plain(each)}`)].join('\n');
  const text = plain(value);
  return text.includes('\n') ? `${name}:\n${text}` : `${name}: ${text}`;
}

function plain(value: unknown): string {
  if (Array.isArray(value)) return value.map(plain).join(', ');
  if (!isRecord(value)) return String(value);
  return Object.entries(value)
    .map(([name, each]) => (isRecord(each) ? `${name} (${plain(each)})` : `${name} ${plain(each)}`))
    .join(', ');
}
