const { Module } = require('node:module');

/** Hides the package of the development EVM from a process that preloads this file, as on platforms that lack it. */
const load = Module._load;
Module._load = (name, ...rest) => {
  if (name.startsWith('@nomicfoundation/')) throw new Error(`Cannot find module '${name}'`);
  return load(name, ...rest);
};
