type Row = readonly number[];
const at = (row: Row, i: number) => row[i] ?? Number.POSITIVE_INFINITY;

/** Computes row `i` of the edit-distance table, which compares prefixes of both texts, from the two rows before it. */
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

/** Returns the Damerau-Levenshtein distance: insertions, deletions, substitutions and swaps of adjacent letters. */
const editDistance = (from: string, to: string): number => {
  let rows: readonly [Row, Row] = [[], Array.from({ length: to.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= from.length; i++) rows = [rows[1], nextRow(from, to, i, rows)];
  return at(rows[1], to.length);
};

/** Normalizes a name, so that `walletId`, `wallet-id` and `wallet_id` are equal. */
const lettersOf = (name: string) => name.toLowerCase().replace(/[-_ ]/g, '');

/** Returns the largest edit distance at which a text still counts as a misspelling of the name. */
const maxMistakes = ({ length }: string) => (length < 2 ? 0 : Math.max(1, Math.floor(length / 3)));

/** Returns the known name closest to the misspelled name `given`; null if no known name is close. */
export const nearestName = (given: string, known: Iterable<string>): string | null => {
  const letters = lettersOf(given);
  let found: string | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const name of known) {
    const other = lettersOf(name);
    const maxDistance = Math.min(least - 1, maxMistakes(other));
    // Lengths are compared first, because the edit distance of long texts is costly.
    if (Math.abs(letters.length - other.length) > maxDistance) continue;
    const distance = editDistance(letters, other);
    if (distance <= maxDistance) [found, least] = [name, distance];
  }
  return found;
};

/** Returns the end of an error message: a sentence that suggests the closest known name, or '' if none is close. */
export const didYouMean = (given: string, known: Iterable<string>): string => {
  const nearest = nearestName(given, known);
  return nearest === null ? '' : `. Did you mean ${nearest}?`;
};
