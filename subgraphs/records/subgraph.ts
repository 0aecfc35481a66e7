import type { SubgraphDefinition } from '../kernel/subgraph/subgraph.ts'
import { bulkJobResource } from './bulk-job/bulk-job.resolver.ts'
import { duplicateResources } from './duplicates/duplicates.resolver.ts'
import { fieldHistoryResources } from './field-history/field-history.resolver.ts'
import { historyResources } from './history/history.resolver.ts'
import { mergeMoveResource } from './merge/merge-move.resource.ts'
import { searchResource } from './search/search.resolver.ts'
import { syncResource } from './sync/sync.resolver.ts'
import { undoJobResource } from './undo/undo-job.resolver.ts'
import { undoResource } from './undo/undo.resolver.ts'

/** What the platform does for records of every type. */
export const records: SubgraphDefinition = {
  name: 'records',
  // An undo changes records of all types by the actions of their resources.
  ports: ['files', 'vault', 'outbound', 'work'],
  resources: [
    ...fieldHistoryResources,
    ...historyResources,
    ...duplicateResources,
    mergeMoveResource,
    searchResource,
    syncResource,
    bulkJobResource,
    undoResource,
    undoJobResource,
  ],
}
