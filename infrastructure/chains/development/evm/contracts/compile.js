import { readFileSync, writeFileSync } from 'node:fs';
import { Interface } from 'ethers';
import solc from 'solc';

/** Contracts to compile; this script regenerates artifacts.ts from their sources. */
const names = ['TestErc20', 'TestErc721', 'TestErc1155'];
const beside = (file) => new URL(file, import.meta.url);

const compile = () => {
  const sources = names.map((name) => [`${name}.sol`, { content: readFileSync(beside(`${name}.sol`), 'utf8') }]);
  const settings = {
    // Every network supports the EVM version `paris`. The metadata hash is left out, so that comments do not change the
    // bytecode.
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
  `/** ABI and bytecode of the Solidity sources beside this file; \`npm run contracts\` regenerates it. */
export const artifacts = {
${lines.join('\n')}
} as const;
`,
);
