import { profileNameOf } from '../../identity/public.ts'
import { invalid } from '../../kernel/errors.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { isHidden, mayWrite } from '../../kernel/record/field-security.ts'
import { isRequired, writableColumns } from '../../kernel/record/inputs.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { filledSlots, type FilledSlots } from '../app/installed-slots.ts'
import { latestShapeOfType, unknownObject } from '../extended-type.ts'
import { hasField, type LayoutConfig, type LayoutSection, type ShownItem, type ShownSection } from './layout-config.ts'
import { isLayoutType, layoutTypeProblem } from './layout-types.ts'
import type { ResolvedLayout } from './resolved-layout.ts'

interface StoredLayout extends Record<string, unknown> {
  readonly id: string
  readonly name: string
  readonly profile: string | null
  readonly config: LayoutConfig
}

/** The layout of the caller: that of the profile, else the default of the organization, else one of all fields. */
export async function resolveLayout(ctx: RequestContext, objectType: string): Promise<ResolvedLayout> {
  if (!isLayoutType(objectType)) throw invalid(layoutTypeProblem('objectType'))
  const shape = await latestShapeOfType(ctx, objectType)
  if (!shape) throw invalid(unknownObject('objectType'))
  return layoutOf(ctx, { objectType, shape, profile: await profileNameOf(ctx) })
}

/** Whose layout of which record type is meant. */
export interface LayoutFor {
  readonly objectType: string
  readonly shape: RecordShape
  /** The name of the profile; null for users without one. */
  readonly profile: string | null
}

/** The layout of a profile, with the fields that the caller of the context may see. */
export async function layoutOf(
  ctx: RequestContext,
  { objectType, shape, profile }: LayoutFor,
): Promise<ResolvedLayout> {
  const [found] = await ctx.db.query<StoredLayout>(
    `select id, name, profile, config from extensions.layout
     where organization_id = $1 and object_type = $2 and deleted_at is null
       and lower(coalesce(profile, '')) in (lower($3), '')
     order by profile is null limit 1`,
    [ctx.caller.organizationId, objectType, profile ?? ''],
  )
  const config = found?.config ?? { sections: [allFields(shape)] }
  const { shown, warnings } = await filledSlots(ctx, objectType, slotsOf(config))
  return {
    objectType,
    layoutId: found?.id ?? null,
    name: found?.name ?? null,
    profile: found?.profile ?? null,
    config: { sections: config.sections.map((section) => shownSection(ctx, shape, section, shown)) },
    warnings: [...warnings],
  }
}

/** What the caller can fill in, and then the custom fields. */
function allFields(shape: RecordShape): LayoutSection {
  const own = writableColumns(shape.entity, 'UPDATE').filter(
    ({ name, kind }) => name !== 'customFields' && kind !== 'json',
  )
  const items = [...own, ...shape.columns.customFields.values()].map(({ name }) => ({ field: name }))
  return { label: 'Details', items }
}

const slotsOf = ({ sections }: LayoutConfig): string[] =>
  sections.flatMap(({ items }) => items.flatMap(({ slot }) => (slot === undefined ? [] : [slot])))

/** The section as the caller sees it: without hidden fields and without slots that no installed app fills. */
export function shownSection(
  { caller }: Pick<RequestContext, 'caller'>,
  shape: RecordShape,
  section: LayoutSection,
  slots: FilledSlots['shown'] = new Map(),
): ShownSection {
  const { label, columns = 2, isCollapsed = false } = section
  const mandatory = new Set(
    writableColumns(shape.entity, 'UPDATE')
      .filter(isRequired)
      .map(({ name }) => name),
  )
  const items = section.items.flatMap(({ field, slot, isReadOnly, isRequired: asked = false }): ShownItem[] => {
    const filled = slot === undefined ? undefined : slots.get(slot)
    if (filled) return [filled]
    if (field === undefined || !hasField(shape, field) || isHidden(caller, shape, field)) return []
    const column = shape.columns.byName.get(field)!
    const isWritable = mayWrite(caller, shape, field) && column.writable !== 'NEVER'
    return [
      {
        field,
        isReadOnly: isReadOnly === true || !isWritable,
        isRequired: asked || mandatory.has(field) || column.custom?.isRequired === true,
      },
    ]
  })
  return { label, columns, isCollapsed, items }
}
