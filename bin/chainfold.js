#!/usr/bin/env node
import { existsSync } from 'node:fs';

// A container image has only dist/. In a clone of the repository, build.js first recompiles changed sources.
const builder = new URL('../build.js', import.meta.url);
if (existsSync(builder)) await (await import(builder.href)).buildIfStale();
await import('../dist/process.js');
