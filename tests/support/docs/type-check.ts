import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

const formatting: ts.FormatDiagnosticsHost = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: ts.sys.getCurrentDirectory,
  getNewLine: () => '\n',
};

const configIn = (root: string) =>
  ts.getParsedCommandLineOfConfigFile(
    join(root, 'tsconfig.json'),
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: ({ messageText }) => assert.fail(String(messageText)) },
  ) ?? assert.fail('there is no tsconfig.json');

/**
 * Creates a function that type-checks the chosen files under `root` and returns the errors, keyed by file. A repeated
 * check rereads only the files that have changed.
 */
export const createTypeCheck = (root: string, isChosen: (path: string) => boolean) => {
  const parsed = new Map<string, ts.SourceFile>();
  return (): ReadonlyMap<string, string> => {
    const { fileNames, options } = configIn(root);
    const host = ts.createCompilerHost(options);
    const read = host.getSourceFile;
    host.getSourceFile = (name, ...rest) => {
      const known = parsed.get(name);
      if (known && (!name.startsWith(root) || known.text === readFileSync(name, 'utf8'))) return known;
      const found = read(name, ...rest);
      if (found) parsed.set(name, found);
      return found;
    };
    const chosen = fileNames.filter((name) => isChosen(relative(root, name)));
    const program = ts.createProgram(chosen, options, host);
    const found = new Map<string, string>();
    for (const diagnostic of ts.getPreEmitDiagnostics(program)) {
      const path = relative(root, diagnostic.file?.fileName ?? root);
      found.set(path, `${found.get(path) ?? ''}${ts.formatDiagnostic(diagnostic, formatting)}`);
    }
    return found;
  };
};
