import { hasColumn, type RecordShape } from '../../kernel/record/definition.ts'
import { isHidden } from '../../kernel/record/field-security.ts'
import { recordNamed } from '../../kernel/record/record-registry.ts'
import { readScopeOf } from '../../kernel/record/requires-scope.ts'
import { shapeFor } from '../../kernel/record/shape-source.ts'
import { timelineSources, type TimelineSource } from '../../kernel/record/timeline-source.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { holdsScope } from '../../kernel/scopes.ts'
import type { Link } from '../related-record/related-types.ts'
import type { TimelineKind } from './timeline.types.ts'

/** The column that names the record whose timeline it is. A custom record has none of its own, and is the related record of its entries. */
export type TimelineLink = Link | 'relatedToId'

export interface ReadableSource extends TimelineSource {
  readonly definition: RecordShape
}

/**
 * The sources of the timeline of a record that `link` names, as far as the caller may read their records at all. Which of the records the
 * caller sees is a condition of the statement.
 */
export function sourcesFor(
  ctx: RequestContext,
  link: TimelineLink,
  kinds: readonly TimelineKind[] | null | undefined,
): ReadableSource[] {
  return timelineSources().flatMap((source) => {
    const { kind, object, items } = source
    const builtIn = kinds && !kinds.includes(kind as TimelineKind) ? null : recordNamed(object)
    if (!builtIn || !isLinked(builtIn, link, source)) return []
    const definition = shapeFor(ctx, builtIn)
    const { entitlement, entity } = definition
    const isReadable =
      holdsScope(ctx.caller, readScopeOf(entity)) &&
      (!entitlement || ctx.caller.entitlements.includes(entitlement)) &&
      !(items?.from ?? []).some((name) => isHidden(ctx.caller, definition, name)) &&
      !isLinkHidden(ctx, items?.linkedBy ? recordNamed(items.linkedBy) : definition, link)
    return isReadable ? [{ ...source, definition }] : []
  })
}

const isLinked = (definition: RecordShape, link: TimelineLink, { items }: TimelineSource): boolean =>
  items ? Object.hasOwn(items.links, link) : hasColumn(definition, link)

/** Whom a record concerns must not be told from the timelines that it is in. A record is always in its own. */
const isLinkHidden = (ctx: RequestContext, shape: RecordShape | null, link: TimelineLink): boolean => {
  if (shape === null) return true
  const names = link === 'relatedToId' ? ['relatedToType', link] : [link]
  return names.some((name) => hasColumn(shape, name) && isHidden(ctx.caller, shapeFor(ctx, shape), name))
}
