import { aggregateResource } from '../kernel/record/aggregate/aggregate-resource.ts'
import { countedBy } from '../kernel/record/aggregate/counted-shape.ts'
import { createdAfter } from '../kernel/record/rest-area.ts'
import type { Resource } from '../kernel/subgraph/subgraph.ts'
import { auditLogEntry, AuditLogEntryFilter } from './audit/audit-entry.ts'

// Not by what a request or a change had: addresses, user agents, ids of requests, values.
const entry = countedBy(auditLogEntry, ['id', 'actorId', 'actorKind', 'action', 'targetType', 'createdAt'])

/** The aggregates of the record types whose operations are not all standard ones. */
export const identityAggregates: readonly Resource[] = [
  aggregateResource(entry, 'SESSION', {
    filter: AuditLogEntryFilter,
    isForAdministrators: true,
    path: 'admin/audit',
    many: 'audit log entries',
    filters: ['actorId', 'actorKind', 'action', 'targetType', createdAfter],
  }),
]
