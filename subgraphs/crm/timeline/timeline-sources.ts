import { hasColumn, type RecordShape } from '../../kernel/record/definition.ts'
import { isHidden } from '../../kernel/record/field-security.ts'
import { recordNamed } from '../../kernel/record/record-registry.ts'
import { readScopeOf } from '../../kernel/record/requires-scope.ts'
import { shapeFor } from '../../kernel/record/shape-source.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { holdsScope } from '../../kernel/scopes.ts'
import { linkedTypes, type Link } from '../related-record/related-types.ts'
import type { TimelineKind } from './timeline.types.ts'

/** A record type whose records are entries of timelines. Its table has an index on (organization, link, `at`, id) of the live rows. */
export interface TimelineSource {
  readonly kind: TimelineKind
  readonly object: string
  /** The GraphQL type of the record. */
  readonly type: string
  /** The time of an entry: the first of these columns that has a value. */
  readonly at: readonly string[]
  readonly columns: { readonly title: string; readonly type: string | null; readonly status: string }
  /** The user who did it: the first of these columns that has a value. */
  readonly actor: readonly string[]
  /**
   * Each row of this table is an entry, with its time, status and user in these columns instead. A trigger copies it from a list in a
   * column of the record. The table has an index on (organization, link, `at`, `id`).
   */
  readonly items?: {
    readonly table: string
    /** The column of the record with the list. */
    readonly column: string
    /** The column of the table with the id of the record. */
    readonly id: string
    readonly at: string
    readonly status: string
    readonly actor: string
  }
}

export const timelineSources: readonly TimelineSource[] = [
  {
    kind: 'ACTIVITY',
    object: 'activity',
    type: 'Activity',
    at: ['occurredAt'],
    columns: { title: 'subject', type: 'type', status: 'outcome' },
    actor: ['actorId'],
  },
  {
    kind: 'TASK',
    object: 'task',
    type: 'Task',
    at: ['completedAt', 'createdAt'],
    columns: { title: 'subject', type: 'type', status: 'status' },
    actor: ['completedById', 'createdById'],
  },
  {
    kind: 'CASE',
    object: 'case',
    type: 'Case',
    at: ['createdAt'],
    columns: { title: 'subject', type: 'type', status: 'status' },
    actor: ['createdById'],
  },
  {
    kind: 'QUOTE',
    object: 'quote',
    type: 'Quote',
    at: ['createdAt'],
    columns: { title: 'name', type: null, status: 'status' },
    actor: ['createdById'],
  },
  {
    kind: 'ORDER',
    object: 'order',
    type: 'Order',
    at: ['createdAt'],
    columns: { title: 'orderNumber', type: null, status: 'status' },
    actor: ['createdById'],
  },
  {
    kind: 'INVOICE',
    object: 'invoice',
    type: 'Invoice',
    at: ['createdAt'],
    columns: { title: 'invoiceNumber', type: null, status: 'status' },
    actor: ['createdById'],
  },
  {
    kind: 'STAGE_CHANGE',
    object: 'opportunity',
    type: 'Opportunity',
    at: [],
    columns: { title: 'name', type: null, status: 'stage' },
    actor: [],
    items: {
      table: 'crm.stage_entry',
      column: 'stageHistory',
      id: 'opportunity_id',
      at: 'entered_at',
      status: 'stage',
      actor: 'changed_by_id',
    },
  },
]

export interface ReadableSource extends TimelineSource {
  readonly definition: RecordShape
  /** The column with the id of the record whose timeline it is. */
  readonly parent: string
}

/** A record is in the timelines of the records that it links to; its items are also in its own. */
const parentIn = (definition: RecordShape, link: Link, { items }: TimelineSource): string | null =>
  items && linkedTypes[link] === definition.object ? 'id' : hasColumn(definition, link) ? link : null

/**
 * The sources of the timeline of a record that `link` names, as far as the caller may read their records at all. Which of the records the
 * caller sees is a condition of the statement.
 */
export function sourcesFor(
  ctx: RequestContext,
  link: Link,
  kinds: readonly TimelineKind[] | null | undefined,
): ReadableSource[] {
  return timelineSources.flatMap((source) => {
    const builtIn = kinds && !kinds.includes(source.kind) ? null : recordNamed(source.object)
    const parent = builtIn && parentIn(builtIn, link, source)
    if (!parent) return []
    const definition = shapeFor(ctx, builtIn)
    const { entitlement, entity } = definition
    const needed = [parent, ...(source.items ? [source.items.column] : [])]
    const isReadable =
      holdsScope(ctx.caller, readScopeOf(entity)) &&
      (!entitlement || ctx.caller.entitlements.includes(entitlement)) &&
      !needed.some((name) => isHidden(ctx.caller, definition, name))
    return isReadable ? [{ ...source, definition, parent }] : []
  })
}
