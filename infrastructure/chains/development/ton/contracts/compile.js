import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileFunc } from '@ton-community/func-js';

const here = dirname(fileURLToPath(import.meta.url));
const source = (name) => readFileSync(join(here, name), 'utf8');

const compile = async (target) => {
  const { status, codeBoc, message } = await compileFunc({ targets: [target], sources: source });
  if (status !== 'ok') throw new Error(message);
  return codeBoc;
};

const codes = { master: await compile('jetton-master.fc'), wallet: await compile('jetton-wallet.fc') };
const text = `/** Code of the FunC sources beside this file; \`npm run contracts\` regenerates it. */
export const jettonCode = {
${Object.entries(codes)
  .map(([name, code]) => `  ${name}:\n    '${code}',\n`)
  .join('')}} as const;
`;
writeFileSync(join(here, 'artifacts.ts'), text);
