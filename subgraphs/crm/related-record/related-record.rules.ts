import type { FieldProblem } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { collectedOf, readOnce } from '../../kernel/record/collected-writes.ts'
import { hasColumn } from '../../kernel/record/definition.ts'
import { fieldRules } from '../../kernel/record/field-security.ts'
import { TenantPredicate } from '../../kernel/record/predicate.ts'
import { visibleIds } from '../../kernel/record/read.ts'
import { recordNamed } from '../../kernel/record/record-registry.ts'
import { selectList } from '../../kernel/record/selection.ts'
import { shapeFor } from '../../kernel/record/shape-source.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { RelatedRecord } from './related-record.ts'
import {
  isRelatedType,
  knowingRelated,
  linkedTypes,
  links,
  relatedShape,
  relatedTypeOf,
  type Link,
  type Links,
} from './related-types.ts'

type Related = Pick<RelatedRecord, 'relatedToType' | 'relatedToId'>
type WithLinks = Related & Links

const noLinks: Links = { accountId: null, contactId: null, leadId: null, opportunityId: null, caseId: null }

/**
 * The ids that follow from the related record where the input gives none. A change of the related record derives all of them anew, so
 * that nothing of the previous one remains.
 */
export async function impliedLinks(
  ctx: RequestContext,
  input: Partial<WithLinks>,
  previous: WithLinks | null,
): Promise<Partial<Links>> {
  const { relatedToType = previous?.relatedToType ?? null, relatedToId = previous?.relatedToId ?? null } = input
  const isChanged =
    relatedToType !== (previous?.relatedToType ?? null) ||
    (relatedToId?.toLowerCase() ?? null) !== (previous?.relatedToId ?? null)
  if (!isChanged) return {}
  const implied = { ...noLinks, ...(await linksOf(ctx, { relatedToType, relatedToId })) }
  return Object.fromEntries(links.filter((link) => input[link] === undefined).map((link) => [link, implied[link]]))
}

const linkColumns: ReadonlySet<string> = new Set(links)

/** What the related record says about other records, and its own id; null if the caller sees no such record. */
async function linksOf(given: RequestContext, { relatedToType, relatedToId }: Related): Promise<Partial<Links> | null> {
  if (relatedToType === null || relatedToId === null || !isId(relatedToId)) return null
  const id = relatedToId.toLowerCase()
  return readOnce(
    given,
    nameOfRelated(relatedToType, id),
    async () => (await linksOfAll(given, relatedToType, [id])).get(id) ?? null,
  )
}

const nameOfRelated = (relatedToType: string, id: string): string => `related ${relatedToType} ${id}`

/** As `linksOf`, of related records of one type by their ids. */
async function linksOfAll(
  given: RequestContext,
  relatedToType: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Partial<Links>>> {
  const ctx = await knowingRelated(given, relatedToType)
  const builtIn = relatedShape(ctx, relatedToType)
  if (!builtIn) return new Map()
  const shape = shapeFor(ctx, builtIn)
  const predicate = new TenantPredicate(ctx.caller)
  const columns = selectList(shape, linkColumns, 't', fieldRules(ctx.caller, shape))
  const rows = await ctx.db.query(
    `select ${columns} from ${shape.table} t where ${predicate.live(shape, 't')} and t.id = any(${predicate.values.add(ids)}::uuid[])`,
    predicate.values.list,
  )
  const own = relatedTypeOf(relatedToType)?.link
  const known = links.filter((link) => hasColumn(shape, link))
  return new Map(
    rows.map((row) => {
      const id = row['id'] as string
      return [id, { ...Object.fromEntries(known.map((link) => [link, row[link]])), ...(own && { [own]: id }) }]
    }),
  )
}

/** Reads the related records, and the other records that are named, of many tasks or activities that are given these values. */
export async function readRelated(ctx: RequestContext, given: readonly Partial<WithLinks>[]): Promise<void> {
  const collected = collectedOf(ctx)
  if (!collected) return
  const idsOf = (ids: readonly unknown[]): string[] => [...new Set(ids.filter(isId).map((id) => id.toLowerCase()))]
  const related = given.filter(({ relatedToType }) => typeof relatedToType === 'string' && isRelatedType(relatedToType))
  for (const [type, group] of Map.groupBy(related, ({ relatedToType }) => relatedToType!)) {
    const ids = idsOf(group.map(({ relatedToId }) => relatedToId))
    const found = await linksOfAll(ctx, type, ids)
    for (const id of ids) collected.keep(nameOfRelated(type, id), found.get(id) ?? null)
  }
  for (const link of links) {
    const shape = recordNamed(linkedTypes[link])
    const ids = idsOf(given.map((values) => values[link]))
    if (!shape || ids.length === 0) continue
    const visible = await visibleIds(ctx, shape, ids)
    for (const id of ids) collected.keep(nameOfVisible(linkedTypes[link], id), visible.has(id))
  }
}

/** `relatedToType` and `relatedToId` name one record together. */
export function relatedToIsWhole(next: Related): FieldProblem[] {
  const { relatedToType, relatedToId } = next
  if (relatedToType !== null && !isRelatedType(relatedToType)) {
    const message =
      'relatedToType must be LEAD, CONTACT, ACCOUNT, OPPORTUNITY, CASE, QUOTE, ORDER, INVOICE or custom:<object>.'
    return [{ path: 'relatedToType', code: 'NOT_ALLOWED', message }]
  }
  if (relatedToType === null || relatedToId === null) {
    if (relatedToType === relatedToId) return []
    const [path, other] = relatedToType === null ? ['relatedToType', 'relatedToId'] : ['relatedToId', 'relatedToType']
    return [{ path: path!, code: 'REQUIRED', message: `${path} is required with ${other}; set both or neither.` }]
  }
  return []
}

const nameOfVisible = (object: string, id: string): string => `visible ${object} ${id}`

const isVisible = (ctx: RequestContext, object: string, id: string): Promise<boolean> =>
  readOnce(ctx, nameOfVisible(object, id), async () => {
    const shape = recordNamed(object)
    return !shape || (await visibleIds(ctx, shape, [id])).has(id)
  })

const unknown = (path: string, message = `${path} must be the id of an existing record that you can see.`) => ({
  path,
  code: 'UNKNOWN_REFERENCE',
  message,
})

/**
 * The related record exists and the caller sees it, and so do the other records that the input names. An id that the related record has
 * itself is accepted: who sees the case of an account may log a call about it.
 */
export async function relatedRecordsExist(
  ctx: RequestContext,
  next: WithLinks,
  previous: WithLinks | null,
): Promise<FieldProblem[]> {
  const { relatedToType, relatedToId } = next
  const changed = links.filter((link) => next[link] !== null && next[link] !== (previous?.[link] ?? null))
  const isRelationChanged = relatedToType !== previous?.relatedToType || relatedToId !== previous?.relatedToId
  if (relatedToType === null || relatedToId === null) return unseen(ctx, next, changed)
  const isLinkChanged = links.some((link) => next[link] !== (previous?.[link] ?? null))
  if (!isRelationChanged && !isLinkChanged) return []
  const known = await linksOf(ctx, next)
  if (isRelationChanged && !known) {
    if (relatedShape(await knowingRelated(ctx, relatedToType), relatedToType)) return [unknown('relatedToId')]
    return [
      unknown('relatedToType', `relatedToType must be a type of records; the organization has no ${relatedToType}.`),
    ]
  }
  const own = relatedTypeOf(relatedToType)?.link
  if (own && next[own] !== relatedToId) {
    const message = `${own} must be the same as relatedToId, because relatedToType is ${relatedToType}.`
    return [{ path: own, code: 'NOT_ALLOWED', message }]
  }
  return unseen(
    ctx,
    next,
    changed.filter((link) => next[link] !== known?.[link]),
  )
}

async function unseen(ctx: RequestContext, next: WithLinks, given: readonly Link[]): Promise<FieldProblem[]> {
  const problems: FieldProblem[] = []
  for (const link of given) if (!(await isVisible(ctx, linkedTypes[link], next[link]!))) problems.push(unknown(link))
  return problems
}
