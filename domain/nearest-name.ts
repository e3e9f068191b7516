type Row = readonly number[];
const at = (row: Row, i: number) => row[i] ?? Number.POSITIVE_INFINITY;

/** Row `i` of the distances between the beginnings of two texts, from the two rows before. */
const nextRow = (from: string, to: string, i: number, [before, last]: readonly [Row, Row]): Row => {
  const row = [i];
  for (let j = 1; j <= to.length; j++) {
    const replaced = at(last, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1);
    const isSwapped = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
    const swapped = isSwapped ? at(before, j - 2) + 1 : replaced;
    row[j] = Math.min(at(last, j) + 1, at(row, j - 1) + 1, replaced, swapped);
  }
  return row;
};

/** Counts the letters to insert, delete, replace or swap with their neighbour to turn one text into the other. */
const editDistance = (from: string, to: string): number => {
  let rows: readonly [Row, Row] = [[], Array.from({ length: to.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= from.length; i++) rows = [rows[1], nextRow(from, to, i, rows)];
  return at(rows[1], to.length);
};

/** Letters of a name without case and separators, in which `walletId` and `wallet-id` are the same as `wallet_id`. */
const lettersOf = (name: string) => name.toLowerCase().replace(/[-_ ]/g, '');

/** Number of letters that may be wrong before it is another word. */
const maxMistakes = ({ length }: string) => (length < 2 ? 0 : Math.max(1, Math.floor(length / 3)));

/** Returns the known name that a mistyped one most likely means; null when none is near. */
export const nearestName = (given: string, known: Iterable<string>): string | null => {
  const letters = lettersOf(given);
  let found: string | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const name of known) {
    const other = lettersOf(name);
    const most = Math.min(least - 1, maxMistakes(other));
    // Lengths are compared first, because the distance of long texts is costly.
    if (Math.abs(letters.length - other.length) > most) continue;
    const distance = editDistance(letters, other);
    if (distance <= most) [found, least] = [name, distance];
  }
  return found;
};

/** Ends a refusal of an unknown name with the known name that is nearest; empty when none is near. */
export const didYouMean = (given: string, known: Iterable<string>): string => {
  const nearest = nearestName(given, known);
  return nearest === null ? '' : `; did you mean ${nearest}?`;
};
