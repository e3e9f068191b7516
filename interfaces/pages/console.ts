import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Request, Response } from 'express';
import { fail } from '../../domain/failure.js';
import { unsafeConnection } from '../http/session-cookie.js';
import { createDocument } from './document.js';

/**
 * Security headers: the page loads files only from its own origin, and no other origin can embed the page or access its
 * window.
 */
const consoleHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; font-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'; trusted-types 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
};

/** Headers that let browsers cache built files for a year, because their names change with their contents. */
const kept = { 'cache-control': 'public, max-age=31536000, immutable' };

/**
 * Finds the folder of the built console: beside the bundled service, or in dist/ when the service runs from its
 * sources.
 */
const builtFolder = () => {
  const folder = [new URL('./console/', import.meta.url), new URL('../../dist/console/', import.meta.url)].find((url) =>
    existsSync(new URL('index.html', url)),
  );
  return folder ?? fail('NOT_FOUND', 'The console is not built. Run npm run build.');
};

const readAssets = (folder: URL) =>
  new Map(
    readdirSync(folder).flatMap((name) => {
      const type = types[name.slice(name.lastIndexOf('.') + 1)];
      if (!type) return [];
      const headers = { ...consoleHeaders, 'content-type': type, ...kept };
      return [[name, createDocument(() => readFileSync(new URL(name, folder)), headers)]];
    }),
  );

const page = { ...consoleHeaders, 'content-type': 'text/html; charset=utf-8' };

/** Returns the page that replaces the console on an unsafe connection. `reason` must contain no markup. */
const refusalPage = (reason: string) =>
  `<!doctype html>\n<html lang="en">\n<title>chainfold</title>\n<h1>The console is not available here</h1>\n<p>${reason}</p>\n`;

/**
 * Creates the handlers that serve the built console: `page` serves the HTML page, and `asset` the files that the page
 * loads, by name. Each file is read from disk when it is first requested.
 */
export const createConsole = () => {
  const open = () => {
    const folder = builtFolder();
    return {
      page: createDocument(() => readFileSync(new URL('index.html', folder)), page),
      assets: readAssets(new URL('assets/', folder)),
    };
  };
  let opened: ReturnType<typeof open> | undefined;
  const built = () => {
    opened ??= open();
    return opened;
  };
  return {
    /** Serves the same page for every route of the console, because the page itself does the routing. */
    page: (request: Request, response: Response) => {
      const refusal = unsafeConnection(request);
      if (refusal === null) return built().page(request, response);
      return void response.status(403).set(page).end(refusalPage(refusal));
    },
    asset: (request: Request<{ name: string }>, response: Response) => {
      const file = built().assets.get(request.params.name);
      return file
        ? file(request as Request, response)
        : fail('NOT_FOUND', 'The console has no such file. Reload the page: it may be of an older version.');
    },
  };
};
