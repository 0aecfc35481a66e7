import { hasColumn, type RecordShape } from '../../kernel/record/definition.ts'
import { isHidden } from '../../kernel/record/field-security.ts'
import { recordNamed } from '../../kernel/record/record-registry.ts'
import { readScopeOf } from '../../kernel/record/requires-scope.ts'
import { shapeFor } from '../../kernel/record/shape-source.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { holdsScope } from '../../kernel/scopes.ts'
import type { Link } from '../related-record/related-types.ts'
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
]

export interface ReadableSource extends TimelineSource {
  readonly definition: RecordShape
}

/**
 * The sources of the timeline of a record that `link` names: those with this link whose records the caller may read at all. Which of the records
 * the caller sees is a condition of the statement.
 */
export function sourcesFor(
  ctx: RequestContext,
  link: Link,
  kinds: readonly TimelineKind[] | null | undefined,
): ReadableSource[] {
  return timelineSources.flatMap((source) => {
    const builtIn = kinds && !kinds.includes(source.kind) ? null : recordNamed(source.object)
    if (!builtIn || !hasColumn(builtIn, link)) return []
    const definition = shapeFor(ctx, builtIn)
    const { entitlement, entity } = definition
    const isReadable =
      holdsScope(ctx.caller, readScopeOf(entity)) &&
      (!entitlement || ctx.caller.entitlements.includes(entitlement)) &&
      !isHidden(ctx.caller, definition, link)
    return isReadable ? [{ ...source, definition }] : []
  })
}
