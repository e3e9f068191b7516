import { readFileSync, writeFileSync } from 'node:fs';
import { Interface } from 'ethers';
import solc from 'solc';

/** Writes artifacts.ts anew from the sources beside this file. */
const names = ['TestErc20', 'TestErc721', 'TestErc1155'];
const beside = (file) => new URL(file, import.meta.url);

const compile = () => {
  const sources = names.map((name) => [`${name}.sol`, { content: readFileSync(beside(`${name}.sol`), 'utf8') }]);
  const settings = {
    // What every network that a copy of them could meet understands; no hash of the sources, so comments change nothing.
    evmVersion: 'paris',
    optimizer: { enabled: true, runs: 200 },
    metadata: { appendCBOR: false },
    outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
  };
  const input = { language: 'Solidity', sources: Object.fromEntries(sources), settings };
  const { contracts, errors = [] } = JSON.parse(solc.compile(JSON.stringify(input)));
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'));
  return names.map((name) => [name, contracts[`${name}.sol`][name]]);
};

const lines = compile().flatMap(([name, { abi, evm }]) => [
  `  ${name}: {`,
  '    abi: [',
  ...new Interface(abi).format().map((line) => `      '${line}',`),
  '    ],',
  `    bytecode:`,
  `      '0x${evm.bytecode.object}',`,
  '  },',
]);

writeFileSync(
  beside('artifacts.ts'),
  `/** Made by \`npm run contracts\` from the Solidity sources beside this file. */
export const artifacts = {
${lines.join('\n')}
} as const;
`,
);
