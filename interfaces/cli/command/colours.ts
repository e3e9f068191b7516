const codes = { bold: [1, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const;

/** Applies a terminal style to a text, or returns the text unchanged. */
export type Paint = (style: keyof typeof codes, text: string) => string;

/** Leaves every text as it is. */
export const plain: Paint = (_, text) => text;

const colourful: Paint = (style, text) => {
  const [on, off] = codes[style];
  return `\u001b[${on}m${text}\u001b[${off}m`;
};

/** Returns true if a terminal with this environment shows colours. A non-empty NO_COLOR disables colours. */
export const hasColours = ({ NO_COLOR, TERM }: Readonly<Record<string, string | undefined>>) =>
  !NO_COLOR && TERM !== 'dumb';

export const createPaint = (isColourful: boolean): Paint => (isColourful ? colourful : plain);
