import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import { asyncapi, oas } from '@stoplight/spectral-rulesets';
import { asyncApi } from '../interfaces/contract/asyncapi.js';
import { openApi } from '../interfaces/contract/openapi.js';

/**
 * Lints the documents of the API with the recommended rules of Spectral and Redocly, and fails at any finding. The
 * versions of the rules are those of package-lock.json.
 */
const version = '1.0.0';
const copyOf = (document: object) => JSON.parse(JSON.stringify(document)) as Record<string, unknown>;

/** Disabled rule. Every operator hosts the service themselves, so the document has no contact. */
const rules = { 'asyncapi-info-contact-properties': 'off' } as const;

const withSpectral = async (ruleset: typeof oas | typeof asyncapi, document: object) => {
  const spectral = new spectralCore.Spectral();
  spectral.setRuleset({ extends: [ruleset as RulesetDefinition], ...(ruleset === asyncapi && { rules }) });
  const found = await spectral.run(copyOf(document));
  return found.map(({ code, path, message }) => `spectral ${code} ${path.join('.')}: ${message}`);
};

const withRedocly = async (document: object) => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const found = await lintFromString({ source: JSON.stringify(document), config, absoluteRef: 'openapi.json' });
  return found.map(({ ruleId, location, message }) => `redocly ${ruleId} ${location[0]?.pointer}: ${message}`);
};

const findings = [
  ...(await withSpectral(oas, openApi(version))),
  ...(await withRedocly(openApi(version))),
  ...(await withSpectral(asyncapi, asyncApi(version))),
];
for (const finding of findings) process.stdout.write(`${finding}\n`);
process.stdout.write(`${findings.length} findings in /openapi.json and /asyncapi.json\n`);
process.exitCode = findings.length > 0 ? 1 : 0;
