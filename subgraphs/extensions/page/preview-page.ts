import { profileNameOf, restrictionsOfProfile } from '../../identity/public.ts'
import { fieldsOfShape } from '../../kernel/condition/condition-fields.ts'
import { compileStoredConditions } from '../../kernel/condition/conditions.ts'
import type { FieldRestrictions } from '../../kernel/context.ts'
import { invalid, notFound } from '../../kernel/errors.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { withLatestExtensions } from '../../kernel/extension/current-extensions.ts'
import { customFieldKey, customFieldsName } from '../../kernel/record/custom-field-column.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { nameOf } from '../../kernel/record/describe.ts'
import { addDerivedRestrictions, isHidden } from '../../kernel/record/field-security.ts'
import { allColumnNames, readOne } from '../../kernel/record/read.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { shapeOfType, unknownObject } from '../extended-type.ts'
import { isLayoutType, layoutTypeProblem } from '../layout/layout-types.ts'
import type { PagePreview, PageValidation } from './page-builder.types.ts'
import { readDefinition } from './page-definition.ts'
import { definitionProblems, recordTypesOf } from './page-problems.ts'
import { shownPage, type ShownRegion } from './resolve-page.ts'

interface Latest {
  readonly current: RequestContext
  readonly shape: RecordShape
}

/** The record type with the fields that the organization has at this moment. */
async function latestOf(ctx: RequestContext, objectType: string): Promise<Latest> {
  if (!isLayoutType(objectType)) throw invalid(layoutTypeProblem('objectType'))
  const current = await withLatestExtensions(ctx)
  const shape = shapeOfType(current, objectType)
  if (!shape) throw invalid(unknownObject('objectType'))
  return { current, shape }
}

/** What would refuse a page with this definition. */
export async function validatePage(
  ctx: RequestContext,
  objectType: string,
  definition: unknown,
): Promise<PageValidation> {
  const { current, shape } = await latestOf(ctx, objectType)
  const problems = definitionProblems(current, definition, shape)
  return { isValid: problems.length === 0, problems }
}

/** What both of them restrict, each field as the stricter one does. */
function strictest(one: FieldRestrictions | null, other: FieldRestrictions | null): FieldRestrictions | null {
  if (!one || !other) return one ?? other
  const objects = new Set([...Object.keys(one), ...Object.keys(other)])
  const restricted = [...objects].map((object) => {
    const [first = {}, second = {}] = [one, other].map((fields) =>
      Object.hasOwn(fields, object) ? fields[object] : undefined,
    )
    const hidden = Object.entries(second).filter(([name, level]) => level === 'HIDDEN' || !Object.hasOwn(first, name))
    return [object, { ...first, ...Object.fromEntries(hidden) }] as const
  })
  return addDerivedRestrictions(Object.fromEntries(restricted))
}

/** A caller who sees what the caller and users with the profile both see. */
async function asProfile(
  ctx: RequestContext,
  profile: string | null,
): Promise<{ readonly viewing: RequestContext; readonly profile: string | null }> {
  if (profile === null) return { viewing: ctx, profile: await profileNameOf(ctx) }
  const fields = await restrictionsOfProfile(ctx, profile)
  if (!fields) {
    const message = 'profile must be the name of a profile of the organization.'
    throw invalid({ path: 'profile', code: 'UNKNOWN_REFERENCE', message })
  }
  return { viewing: { ...ctx, caller: { ...ctx.caller, fields: strictest(ctx.caller.fields, fields) } }, profile }
}

export interface PageToPreview {
  readonly objectType: string
  readonly definition: unknown
  readonly recordTypeField: string | null
  readonly profile: string | null
  readonly recordId: string | null
}

type Values = Readonly<Record<string, unknown>>

function valueOf(record: Values, name: string): unknown {
  const key = customFieldKey(name)
  if (key === null) return record[name] ?? null
  const own = record[customFieldsName]
  return isJsonObject(own) && Object.hasOwn(own, key) ? own[key] : null
}

/** The fields of the record that are shown. */
const shownNames = (regions: readonly ShownRegion[]): string[] =>
  regions.flatMap(({ components }) =>
    components.flatMap(({ sections = [] }) =>
      sections.flatMap(({ items }) =>
        items.flatMap((item) => ('field' in item && item.field !== undefined ? [item.field] : [])),
      ),
    ),
  )

async function recordOf(ctx: RequestContext, shape: RecordShape, id: string): Promise<Values> {
  const record = await readOne(ctx, shape, id, allColumnNames(shape))
  if (!record) throw notFound(`The ${nameOf(shape)}`)
  return record
}

/** A definition as users with a profile would see it, with the record as the caller sees it: never more than the caller may see. Stores nothing. */
export async function previewPage(ctx: RequestContext, given: PageToPreview): Promise<PagePreview> {
  const { objectType, recordTypeField, recordId } = given
  const { current, shape } = await latestOf(ctx, objectType)
  const problems = definitionProblems(current, given.definition, shape)
  if (recordTypeField !== null && !recordTypesOf(shape, recordTypeField)) {
    const message = `recordTypeField must be a field of the ${shape.object} with one of given values, such as a PICKLIST.`
    problems.push({ path: 'recordTypeField', code: 'NOT_ALLOWED', message })
  }
  const { definition } = readDefinition(given.definition)
  if (problems.length > 0 || !definition) throw invalid(...problems)
  const { viewing, profile } = await asProfile(current, given.profile)
  const record = recordId === null ? null : await recordOf(viewing, shape, recordId)
  const fields = fieldsOfShape(shape, viewing.caller, true)
  const now = ctx.clock.now().getTime()
  const shown = await shownPage(
    {
      ctx: viewing,
      objectType,
      shape,
      profile,
      isMet: record && ((conditions) => compileStoredConditions(conditions, fields)(record, null, now)),
    },
    definition,
  )
  const isTyped = record && recordTypeField !== null && !isHidden(viewing.caller, shape, recordTypeField)
  const recordType = isTyped ? valueOf(record, recordTypeField) : null
  return {
    objectType,
    profile,
    recordType: typeof recordType === 'string' ? recordType : null,
    ...shown,
    values:
      record && Object.fromEntries(shownNames(shown.definition.regions).map((name) => [name, valueOf(record, name)])),
  }
}
