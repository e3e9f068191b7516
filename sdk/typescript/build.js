import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
const [esm, cjs] = ['esm', 'cjs'].map((name) => join(folder, 'dist', name));

rmSync(join(folder, 'dist'), { recursive: true, force: true });
const compiler = join(dirname(require.resolve('@typescript/native/package.json')), 'bin', 'tsc');
execFileSync(process.execPath, [compiler, '-p', folder, '--outDir', esm], { stdio: 'inherit' });

// The CommonJS build uses the same type declarations. The package.json in each folder tells Node and TypeScript which
// module format the files have.
const ts = require('typescript');
const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };
mkdirSync(cjs);
for (const name of readdirSync(esm)) {
  const script = name.replace(/\.js$/, '.ts');
  if (name.endsWith('.d.ts')) cpSync(join(esm, name), join(cjs, name));
  else {
    const source = readFileSync(join(folder, 'src', script), 'utf8');
    writeFileSync(join(cjs, name), ts.transpileModule(source, { compilerOptions }).outputText);
  }
}
writeFileSync(join(esm, 'package.json'), '{"type":"module"}\n');
writeFileSync(join(cjs, 'package.json'), '{"type":"commonjs"}\n');
