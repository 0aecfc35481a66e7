import { profileNameOf } from '../../identity/public.ts'
import type { GivenConditions } from '../../kernel/condition/parse-conditions.ts'
import { invalid } from '../../kernel/errors.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { isHidden } from '../../kernel/record/field-security.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { latestShapeOfType, unknownObject } from '../extended-type.ts'
import { filledSlots, type FilledSlots } from '../app/installed-slots.ts'
import { hasField, type ShownSection } from '../layout/layout-config.ts'
import { isLayoutType, layoutTypeProblem } from '../layout/layout-types.ts'
import { layoutOf, shownSection } from '../layout/resolve-layout.ts'
import type { LayoutWarning, ResolvedLayout } from '../layout/resolved-layout.ts'
import { regionColumns, rowsUsual } from './bounds.ts'
import {
  componentsOf,
  fieldsInConditions,
  type FieldsComponent,
  type PageComponent,
  type PageDefinition,
  type RelatedListComponent,
} from './page-definition.ts'
import { listedShape, relationOf } from './page-problems.ts'
import type { ResolvedPage } from './resolved-page.ts'

/** For whom the page of which record type is shown. */
export interface Viewer {
  /** Its caller sees what is shown. */
  readonly ctx: RequestContext
  readonly objectType: string
  readonly shape: RecordShape
  readonly profile: string | null
  /** Whether the record meets the conditions of a component; null without a record, so that components have their conditions. */
  readonly isMet: ((conditions: GivenConditions) => boolean) | null
}

export interface ShownRegion {
  readonly name: string
  readonly width: number
  readonly components: readonly (ShownComponent & { readonly type: string })[]
}

interface ShownPage {
  readonly definition: { readonly regions: readonly ShownRegion[] }
  readonly warnings: LayoutWarning[]
}

/** A component of a page as it is shown, without its type. */
type ShownComponent = Readonly<Record<string, unknown>> & { readonly sections?: readonly ShownSection[] }

/** Null if nothing of a component is shown. */
type Shown = ShownComponent | null

function shownFields({ ctx, shape }: Viewer, { label, columns, isCollapsed, items }: FieldsComponent): Shown {
  const section = shownSection(ctx, shape, {
    label,
    ...(columns !== undefined && { columns }),
    ...(isCollapsed !== undefined && { isCollapsed }),
    items,
  })
  return section.items.length > 0 ? { sections: [section] } : null
}

function shownList({ ctx, shape }: Viewer, component: RelatedListComponent): Shown {
  const { label, objectType, field, columns, limit = rowsUsual } = component
  const related = listedShape(ctx, component)
  const relation = related && relationOf(related, field, shape)
  if (!related || !relation) return null
  const { entitlement } = related
  const isPlanned = entitlement === undefined || ctx.caller.entitlements.includes(entitlement)
  const decisive = [field, ...(relation.kind ? [relation.kind.name] : [])]
  const shown = columns.filter((name) => hasField(related, name) && !isHidden(ctx.caller, related, name))
  if (!isPlanned || shown.length === 0 || decisive.some((name) => isHidden(ctx.caller, related, name))) return null
  const kind = relation.kind && { field: relation.kind.name, value: relation.kind.value }
  return { label, objectType, field, kind, columns: shown, limit }
}

interface Around {
  /** The layout of the viewer, where a component shows it. */
  readonly layout: ResolvedLayout | null
  readonly slots: FilledSlots['shown']
}

function shownComponent(viewer: Viewer, component: PageComponent, { layout, slots }: Around): Shown {
  switch (component.type) {
    case 'FIELDS':
      return shownFields(viewer, component)
    case 'LAYOUT':
      return layout!.config.sections.some(({ items }) => items.length > 0)
        ? { sections: layout!.config.sections }
        : null
    case 'RELATED_LIST':
      return shownList(viewer, component)
    case 'TIMELINE':
      return { label: component.label ?? null, limit: component.limit ?? rowsUsual }
    case 'TEXT':
      return { text: component.text }
    case 'APP_SLOT': {
      const filled = slots.get(component.slot)
      return filled ? { ...filled } : null
    }
  }
}

/** Whether the component is shown as far as its conditions say. Those on a field that the caller does not see are met by no record. */
function isShown({ ctx, shape, isMet }: Viewer, component: PageComponent): boolean {
  const { visibleWhen } = component
  if (!visibleWhen) return true
  const isSeen = (name: string) => hasField(shape, name) && !isHidden(ctx.caller, shape, name)
  return fieldsInConditions(component).every(isSeen) && (isMet === null || isMet(visibleWhen))
}

/** A definition as the viewer sees it. */
export async function shownPage(viewer: Viewer, definition: PageDefinition): Promise<ShownPage> {
  const all = componentsOf(definition).filter(({ component }) => isShown(viewer, component))
  const layout = all.some(({ component }) => component.type === 'LAYOUT') ? await layoutOf(viewer.ctx, viewer) : null
  const wanted = all.flatMap(({ component }) => (component.type === 'APP_SLOT' ? [component.slot] : []))
  const { shown: slots, warnings: unfilled } = await filledSlots(viewer.ctx, viewer.objectType, wanted)
  const visible = new Set(all.map(({ component }) => component))
  const regions = definition.regions.map(({ name, width = regionColumns, components }) => ({
    name,
    width,
    components: components.flatMap((component) => {
      const shown = visible.has(component) ? shownComponent(viewer, component, { layout, slots }) : null
      const visibleWhen = viewer.isMet === null ? (component.visibleWhen ?? null) : null
      return shown ? [{ type: component.type, ...shown, visibleWhen }] : []
    }),
  }))
  const warnings = [...unfilled, ...(layout?.warnings ?? []).filter(({ slot }) => !wanted.includes(slot))]
  return { definition: { regions }, warnings }
}

/** What is shown without a page: the layout of the user. */
const standard: PageDefinition = { regions: [{ name: 'main', components: [{ type: 'LAYOUT' }] }] }

interface AssignedPage extends Record<string, unknown> {
  readonly id: string
  readonly apiName: string
  readonly label: string
  readonly definition: PageDefinition
}

/** The page of the caller: for the profile and the record type, else for the profile, else for the record type, else for everyone. */
export async function resolvePage(
  ctx: RequestContext,
  objectType: string,
  recordType: string | null,
): Promise<ResolvedPage> {
  if (!isLayoutType(objectType)) throw invalid(layoutTypeProblem('objectType'))
  const shape = await latestShapeOfType(ctx, objectType)
  if (!shape) throw invalid(unknownObject('objectType'))
  const { organizationId } = ctx.caller
  const profile = await profileNameOf(ctx)
  const [found] = await ctx.db.query<AssignedPage>(
    `select p.id, p.api_name as "apiName", p.label, p.definition
     from extensions.page p cross join jsonb_array_elements(p.assignments) a
     where p.organization_id = $1 and p.object_type = $2 and p.deleted_at is null
       and (a ->> 'profile' is null or lower(a ->> 'profile') = lower($3))
       and (a ->> 'recordType' is null or a ->> 'recordType' = $4)
     order by a ->> 'profile' is null, a ->> 'recordType' is null, (a ->> 'position')::int, p.api_name limit 1`,
    [organizationId, objectType, profile, recordType],
  )
  const fields = await ctx.db.query<{ name: string }>(
    `select distinct record_type_field as name from extensions.page
     where organization_id = $1 and object_type = $2 and deleted_at is null and record_type_field is not null order by name`,
    [organizationId, objectType],
  )
  const shown = await shownPage({ ctx, objectType, shape, profile, isMet: null }, found?.definition ?? standard)
  return {
    objectType,
    recordType,
    pageId: found?.id ?? null,
    apiName: found?.apiName ?? null,
    label: found?.label ?? null,
    recordTypeFields: fields
      .map(({ name }) => name)
      .filter((name) => hasField(shape, name) && !isHidden(ctx.caller, shape, name)),
    ...shown,
  }
}
