import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

type Locked = { readonly integrity?: string; readonly link?: boolean };

for (const file of ['package-lock.json', 'bench/package-lock.json', 'tests/outside/package-lock.json'])
  describe(file, () => {
    const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Locked> };
    const installed = Object.entries(packages).filter(([path, { link }]) => path !== '' && !link);

    it('contains the hash of every package, so that npm installs nothing else under its name', () => {
      const without = installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path);
      assert.deepEqual(without, []);
      assert.ok(installed.length > 0);
    });
  });
