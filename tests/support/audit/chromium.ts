import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const programs = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/**
 * Returns the path of a Chromium executable: the one in CHAINFOLD_TEST_CHROMIUM if it exists, or else one in PATH; null
 * if there is none.
 */
export const findChromium = (): string | null => {
  const { CHAINFOLD_TEST_CHROMIUM: given, PATH = '' } = process.env;
  const onPath = PATH.split(delimiter).flatMap((folder) => programs.map((program) => join(folder, program)));
  return [...(given === undefined ? [] : [given]), ...onPath].find((path) => existsSync(path)) ?? null;
};
