import type { Role } from '../../domain/aggregates/credential.js';
import { fail } from '../../domain/failure.js';
import type { AnyOperation } from '../operations/define.js';

/** Rejects a caller whose role does not allow the operation. */
export const checkRole = ({ name, role: needed, kind, confidential, session }: AnyOperation, role: Role): void => {
  if (needed && needed !== role)
    fail('PERMISSION_DENIED', `${name} requires an ${needed} credential; this credential has the role ${role}`);
  if (role !== 'auditor' || session || (kind === 'query' && !confidential)) return;
  const reason = kind === 'query' ? 'returns a secret' : 'changes data';
  fail('PERMISSION_DENIED', `${name} ${reason}, which a credential with the role auditor may not do`);
};
