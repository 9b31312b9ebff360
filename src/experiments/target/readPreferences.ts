/**
 * Finds the words of a goal that begin a preference, such as `prefer small models`. The expressions
 * are for lower-case text.
 */

/** A preference from its first word to the end of its clause. */
export const preferenceStart =
  /(?<!\p{L})(?:(?:i|we)(?:'d|\s+would)?\s+prefer|prefer(?:s|ably)?|ideally|if\s+possible|as\s+\p{L}+\s+as\s+possible|favou?r|the\s+(?:fewer|smaller|faster|simpler|less|shorter|more|larger)(?:\s+\p{L}+){0,3}\s+the\s+better|bevorzug(?!t\s*(?:$|[,.;!?)]))\p{L}*|lieber|möglichst(?:\s+\p{L}+)?|am\s+besten|wenn\s+möglich|falls\s+möglich|idealerweise|je\s+\p{L}+er)(?!\p{L})/gu;

/** A preference whose subject stands before it: `smaller models are preferred`. */
export const preferenceInside =
  /(?<!\p{L})(?:(?:is|are)\s+(?:preferred|preferable|a\s+plus|better)|would\s+be\s+(?:nice|good|better)|nice\s+to\s+have|(?:wird|werden|ist|sind)\s+bevorzugt|wäre\s+(?:schön|gut)|(?:preferred|bevorzugt)(?=\s*(?:$|[,.;!?)])))(?!\p{L})/gu;

/** A wish for the best value of the metric that ranks runs: `as low as possible`. */
export const wishForBest =
  /^(?:as\s+(?:low|high|small|large|good|far|much|well)\s+as\s+possible|möglichst\s+(?:niedrig|klein|gering|hoh|hoch|gut|weit)\p{L}*)/iu;
