import { writeFileSync } from 'node:fs';
import { recordLogs } from './erc-logs.js';

const logs = await recordLogs();
if (!logs) throw new Error('there is no EVM for this machine; erc-logs.json was not changed');
const source = 'Written on the development chain by Emitter.sol and its test tokens; made anew by `npm run vectors`';
writeFileSync(new URL('erc-logs.json', import.meta.url), JSON.stringify({ source, logs }));
