import { brunoFiles } from './bruno.js';
import { goSources } from './go.js';
import { sdkModel } from './model.js';
import { pythonSources } from './python.js';
import { typescriptSource } from './typescript.js';

const under = (folder: string, files: Readonly<Record<string, string>>) =>
  Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text] as const);

/** Returns the texts of all generated SDK files, keyed by path in the repository. */
export const generatedFiles = (): Readonly<Record<string, string>> => {
  const model = sdkModel();
  return Object.fromEntries([
    ...under('sdk/typescript/src', { 'generated.ts': typescriptSource(model) }),
    ...under('sdk/python/chainfold', pythonSources(model)),
    ...under('sdk/go', goSources(model)),
    ...under('sdk/bruno', brunoFiles()),
  ]);
};
