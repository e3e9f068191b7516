import { mongoReadModels } from '../../../infrastructure/mongodb/read-models.js';
import { projections } from '../../../projections/index.js';

/**
 * Arguments of this process, which kills itself with SIGKILL within a commit: after the server has advanced the
 * checkpoint in the transaction, and before the process has sent the document.
 */
const [url = '', namespace = ''] = process.argv.slice(2);
const store = await mongoReadModels(url, projections, { namespace });
const [collection] = projections;
if (!collection) throw new Error('there is no projection');
const document = {
  toBSON: () => {
    process.kill(process.pid, 'SIGKILL');
    return {};
  },
};
const change = { collection, scope: 'scope', id: 'id', document };
await store.commit([change], await store.checkpoint(), { [collection.name]: 7 });
