import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import type { ConfigMap, Secret } from 'kubernetes-types/core/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import ts from 'typescript';
import { parseAllDocuments } from 'yaml';
import { roles } from '../../application/processes/service-process.js';
import { freshDirectory } from '../support/run/directories.js';

const folder = 'deploy/kubernetes';
type Manifest = { readonly apiVersion: string; readonly kind: string; readonly metadata: { readonly name: string } };

const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml'));
const manifestsIn = (file: string) =>
  parseAllDocuments(readFileSync(join(folder, file), 'utf8'), { strict: true }).map((document) => {
    assert.deepEqual(document.errors, [], file);
    return document.toJS() as Manifest;
  });
const all = files.flatMap((file) => manifestsIn(file).map((manifest) => ({ file, manifest })));
const ofKind = <T>(kind: string, within = '') =>
  all
    .filter(({ file, manifest }) => manifest.kind === kind && file.startsWith(within))
    .map(({ manifest }) => manifest as T);

/** Returns the module of `kubernetes-types` that has the kinds of an API version, such as apps/v1. */
const moduleOf = (apiVersion: string) =>
  `kubernetes-types/${apiVersion.includes('/') ? apiVersion : `core/${apiVersion}`}`;
/** Returns a program that assigns each manifest to the type that Kubernetes publishes for its kind. */
const programOf = (manifests: readonly Manifest[]) =>
  manifests
    .map(({ kind, apiVersion }, i) => {
      const type = `import('${moduleOf(apiVersion)}').${kind}`;
      return `export const manifest${i}: ${type} = ${JSON.stringify(manifests[i], null, 1)};`;
    })
    .join('\n');

/** Checks manifests against the published types, which also reject unknown fields, and returns the errors. */
const typeErrors = (manifests: readonly Manifest[]) => {
  const file = join(freshDirectory(), 'manifests.ts');
  writeFileSync(file, programOf(manifests));
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    lib: ['lib.es5.d.ts'],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    paths: { 'kubernetes-types/*': [join(process.cwd(), 'node_modules/kubernetes-types/*')] },
  };
  const program = ts.createProgram([file], options);
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
};

const containerOf = ({ spec }: Deployment) => spec?.template.spec?.containers[0] ?? assert.fail('no container');

describe('the Kubernetes manifests', () => {
  it('fit the types that Kubernetes publishes for their kinds', () => {
    assert.ok(all.length > 10);
    assert.deepEqual(typeErrors(all.map(({ manifest }) => manifest)), []);
  });

  it('would be rejected with a misspelt field or a value of another type', () => {
    const [deployment] = ofKind<Deployment & Manifest>('Deployment');
    const spoiledBy = (field: object) => ({ ...deployment, spec: { ...deployment?.spec, ...field } }) as Manifest;
    const errors = typeErrors([spoiledBy({ replica: 2 }), spoiledBy({ replicas: '2' })]);
    assert.match(errors[0] ?? '', /'"replica"' does not exist in type 'DeploymentSpec'/);
    assert.match(errors[1] ?? '', /'string' is not assignable to type 'number'/);
  });

  it('run each role twice on engines, and all roles once on embedded stores', () => {
    const runs = (within: string) =>
      Object.fromEntries(
        ofKind<Deployment>('Deployment', within).map((one) => [containerOf(one).args?.join(' '), one.spec?.replicas]),
      );
    assert.deepEqual(runs('engines'), Object.fromEntries(roles.map((role) => [`serve --role ${role}`, 2])));
    assert.deepEqual(runs('embedded'), { serve: 1 });
    const [embedded] = ofKind<Deployment>('Deployment', 'embedded');
    assert.equal(embedded?.spec?.strategy?.type, 'Recreate');
  });

  it('select the pods that they create, and keep one pod of each role during a disruption', () => {
    for (const { spec } of ofKind<Deployment>('Deployment'))
      assert.deepEqual(spec?.selector.matchLabels, spec?.template.metadata?.labels);
    const budgets = ofKind<PodDisruptionBudget>('PodDisruptionBudget', 'engines');
    const labelsOf = (selected: readonly (Record<string, string> | undefined)[]) =>
      new Set(selected.map((one) => JSON.stringify(one)));
    assert.deepEqual(
      labelsOf(budgets.map(({ spec }) => spec?.selector?.matchLabels as Record<string, string>)),
      labelsOf(ofKind<Deployment>('Deployment', 'engines').map(({ spec }) => spec?.template.metadata?.labels)),
    );
    for (const { spec } of budgets) assert.equal(spec?.maxUnavailable, 1);
  });

  it('probe the health pages on the port that the configuration gives to every role', () => {
    const [config] = ofKind<ConfigMap>('ConfigMap');
    const { CHAINFOLD_PORT, CHAINFOLD_HEALTH_PORT } = config?.data ?? {};
    for (const one of ofKind<Deployment>('Deployment')) {
      const { ports, livenessProbe, readinessProbe } = containerOf(one);
      assert.deepEqual(ports, [{ name: 'http', containerPort: Number(CHAINFOLD_PORT) }]);
      assert.equal(CHAINFOLD_HEALTH_PORT, CHAINFOLD_PORT);
      assert.deepEqual(livenessProbe?.httpGet, { path: '/health/live', port: 'http' });
      const role = containerOf(one).args?.[2] ?? 'api';
      assert.deepEqual(readinessProbe?.httpGet, { path: `/health/ready?role=${role}`, port: 'http' });
    }
  });

  it('run without privileges, on a file system that is read-only except for the data and /tmp', () => {
    for (const one of ofKind<Deployment>('Deployment')) {
      const { securityContext, volumeMounts } = containerOf(one);
      assert.deepEqual(securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      assert.equal(one.spec?.template.spec?.securityContext?.runAsNonRoot, true);
      assert.equal(one.spec?.template.spec?.automountServiceAccountToken, false);
      const writable = volumeMounts?.filter(({ readOnly }) => !readOnly).map(({ mountPath }) => mountPath);
      assert.deepEqual(writable, ['/data', '/tmp']);
    }
  });

  it('set only settings that the service reads, and contain no secret', () => {
    const documented = readFileSync('docs/configuration.md', 'utf8');
    const names = [
      ...ofKind<ConfigMap>('ConfigMap').flatMap(({ data = {} }) => Object.keys(data)),
      ...ofKind<Secret>('Secret').flatMap(({ stringData = {} }) => Object.keys(stringData)),
    ].filter((name) => name !== 'ca.crt');
    for (const name of names)
      assert.ok(documented.includes(name.replace(/^CHAIN_[A-Z]_/, 'CHAIN_<X>_')) || documented.includes(name), name);
    for (const { stringData = {} } of ofKind<Secret>('Secret'))
      for (const [name, value] of Object.entries(stringData)) assert.match(value, /^<.+>$/, name);
  });
});
