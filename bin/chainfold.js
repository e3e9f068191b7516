#!/usr/bin/env node
import { existsSync } from 'node:fs';

// A container image holds only dist/; a clone holds build.js too and recompiles changed sources first.
const builder = new URL('../build.js', import.meta.url);
if (existsSync(builder)) await (await import(builder.href)).buildIfStale();
await import('../dist/process.js');
