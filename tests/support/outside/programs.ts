import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/** Folder of programs that only the full tier runs. They are not packages of the root, because they are large. */
const folder = 'tests/outside';

/** Returns the absolute path of a file of an installed package. */
export const outsideFile = (path: string): string => resolve(folder, 'node_modules', path);

/** Returns the absolute path of a program. */
export const outsideProgram = (name: string): string => outsideFile(`.bin/${name}`);

/** Returns the reason for which a test cannot run a program; null if the program is installed. */
export const missingOutside = (name: string): string | null =>
  existsSync(outsideProgram(name)) ? null : `${name} is not installed: npm ci --ignore-scripts --prefix ${folder}`;
