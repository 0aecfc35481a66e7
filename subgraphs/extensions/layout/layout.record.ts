import { activeUsers, auditRecord, isProfileName } from '../../identity/public.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import { defineRecord, type RecordDefinition, type SerializedRule } from '../../kernel/record/definition.ts'
import { isSameValue } from '../../kernel/record/same-value.ts'
import { uniqueViolation } from '../../kernel/record/unique-violation.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { namedObjectsExist } from '../custom-object/named-objects.ts'
import { latestShapeOfType } from '../extended-type.ts'
import { fewPerType, published } from '../few-per-type.ts'
import { registerUse } from '../used-by.ts'
import { layoutProblems } from './layout-config.ts'
import { isLayoutType, layoutTypeProblem } from './layout-types.ts'
import { layoutEvents } from './layout.events.ts'
import { Layout } from './layout.ts'

export const layoutsMax = 200

/** One layout for each profile and record type. */
const uniqueProfile: SerializedRule<Layout> = {
  concerns: (_ctx, next, previous) => !next.deletedAt && (previous === null || next.profile !== previous.profile),
  async enforce(ctx, { id, organizationId, objectType, profile }) {
    const same = `object_type = $2 and lower(coalesce(profile, '')) = lower(coalesce($3, ''))`
    const [other] = await ctx.db.query(
      `select from extensions.layout where organization_id = $1 and ${same} and id <> $4 and deleted_at is null`,
      [organizationId, objectType, profile, id],
    )
    if (!other) return []
    throw await uniqueViolation(
      ctx,
      layout,
      'profile',
      (values) =>
        `t.object_type = ${values.add(objectType)} and lower(coalesce(t.profile, '')) = lower(${values.add(profile ?? '')})`,
    )
  },
}

/** The fields of a config exist when it is written; a custom field that it names is not deleted. */
const configFits: SerializedRule<Layout> = {
  concerns: (_ctx, next, previous) => !next.deletedAt && !isSameValue(next.config, previous?.config),
  async enforce(ctx, { objectType, config }) {
    if (!isLayoutType(objectType)) return [layoutTypeProblem('objectType')]
    const shape = await latestShapeOfType(ctx, objectType)
    // Another rule says that a custom object does not exist.
    return shape ? layoutProblems(config, shape) : []
  },
}

async function profileProblems(
  ctx: RequestContext,
  { profile, deletedAt }: Layout,
  previous: Layout | null,
): Promise<FieldProblem[]> {
  if (profile === null || deletedAt || profile === previous?.profile || (await isProfileName(ctx, profile))) return []
  return [{ path: 'profile', code: 'UNKNOWN_REFERENCE', message: 'profile must be the name of a profile.' }]
}

export const layout: RecordDefinition<Layout> = defineRecord(Layout, {
  object: 'layout',
  table: 'extensions.layout',
  visibleBy: [],
  searchable: ['name', 'profile'],
  references: { ownerId: activeUsers },
  unique: { layout_profile: 'profile' },
  events: layoutEvents,
  isAdministrative: true,
  audit: auditRecord('layout', ({ objectType, profile, name, config }) => ({ objectType, profile, name, config })),
  checks: profileProblems,
  serializedRules: [
    published,
    namedObjectsExist(({ objectType }) => [['objectType', objectType]]),
    configFits,
    uniqueProfile,
    fewPerType('extensions.layout', 'layouts', layoutsMax),
  ],
})

registerUse({
  used: 'custom_object',
  user: 'layout',
  sql: `select l.id, l.name from extensions.layout l
    join extensions.custom_object o on o.organization_id = l.organization_id and 'custom:' || o.name = l.object_type
    where o.organization_id = $1 and o.id = $2 and l.deleted_at is null order by l.created_at, l.id`,
})
