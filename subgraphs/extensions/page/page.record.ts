import { activeUsers, auditRecord, knownProfileNames } from '../../identity/public.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import { withLatestExtensions } from '../../kernel/extension/current-extensions.ts'
import {
  defineRecord,
  type RecordDefinition,
  type RecordShape,
  type SerializedRule,
} from '../../kernel/record/definition.ts'
import { isSameValue } from '../../kernel/record/same-value.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { namedObjectsExist, type NamedTypes } from '../custom-object/named-objects.ts'
import { shapeOfType } from '../extended-type.ts'
import { published } from '../few-per-type.ts'
import { isLayoutType, layoutTypeProblem } from '../layout/layout-types.ts'
import { registerUse } from '../used-by.ts'
import { apiNamePattern, pagesMax } from './bounds.ts'
import { pageEvents } from './page.events.ts'
import { namesOf } from './page-names.ts'
import { definitionProblems, listedTypes, recordTypesOf } from './page-problems.ts'
import { Page, type PageAssignment } from './page.ts'

const fewPages: SerializedRule<Page> = {
  concerns: (_ctx, _next, previous) => previous === null,
  async enforce({ db, caller }) {
    const [row] = await db.query<{ count: number }>(
      'select count(*)::int as count from extensions.page where organization_id = $1 and deleted_at is null',
      [caller.organizationId],
    )
    if (row!.count < pagesMax) return []
    const message = `An organization must have at most ${pagesMax} pages; delete one first.`
    return [{ path: 'apiName', code: 'TOO_MANY', message }]
  },
}

/** Two assignments of a page that are for the same profile and record type have the same word. */
const wordOf = ({ profile, recordType }: PageAssignment): string =>
  JSON.stringify([profile?.toLowerCase() ?? null, recordType])

/** What the values of a page alone say. */
function pageProblems(
  { apiName, recordTypeField, assignments, deletedAt }: Page,
  previous: Page | null,
): FieldProblem[] {
  if (deletedAt) return []
  const problems: FieldProblem[] = []
  if (!previous && !apiNamePattern.test(apiName)) {
    const message = 'apiName must be 2 to 63 lower-case letters, digits and underscores, and begin with a letter.'
    problems.push({ path: 'apiName', code: 'WRONG_FORMAT', message })
  }
  const words = assignments.map(wordOf)
  const repeated = words.findIndex((word, index) => words.indexOf(word) < index)
  if (repeated >= 0) {
    const path = `assignments.${repeated}`
    problems.push({ path, code: 'NOT_UNIQUE', message: `${path} is for the same profile and record type as another.` })
  }
  if (recordTypeField === null && assignments.some(({ recordType }) => recordType !== null)) {
    const message = 'recordTypeField is required when an assignment names a recordType.'
    problems.push({ path: 'recordTypeField', code: 'REQUIRED', message })
  }
  return problems
}

/** The profiles of new assignments exist. One of a profile that was renamed applies to nobody until it is changed. */
async function profileProblems(
  ctx: RequestContext,
  { assignments, deletedAt }: Page,
  previous: Page | null,
): Promise<FieldProblem[]> {
  const kept = new Set(previous?.assignments.map(({ profile }) => profile))
  const added = assignments.flatMap(({ profile }, index) =>
    profile === null || kept.has(profile) ? [] : [{ profile, path: `assignments.${index}.profile` }],
  )
  if (deletedAt || added.length === 0) return []
  const known = await knownProfileNames(
    ctx,
    added.map(({ profile }) => profile),
  )
  return added.flatMap(({ profile, path }) =>
    known.has(profile)
      ? []
      : [{ path, code: 'UNKNOWN_REFERENCE', message: `${path} must be the name of a profile of the organization.` }],
  )
}

/** The record types of assignments are values of the field. */
function recordTypeProblems(
  { recordTypeField, assignments }: Page,
  previous: Page | null,
  shape: RecordShape,
): FieldProblem[] {
  if (recordTypeField === null) return []
  const types = recordTypesOf(shape, recordTypeField)
  if (!types) {
    const message = `recordTypeField must be a field of the ${shape.object} with one of given values, such as a PICKLIST.`
    return [
      {
        path: 'recordTypeField',
        code: shape.columns.byName.has(recordTypeField) ? 'NOT_ALLOWED' : 'UNKNOWN_FIELD',
        message,
      },
    ]
  }
  const isKept = recordTypeField === previous?.recordTypeField
  const kept = new Set(isKept ? previous.assignments.map(({ recordType }) => recordType) : [])
  return assignments.flatMap(({ recordType }, index) => {
    if (recordType === null || kept.has(recordType) || types.has(recordType)) return []
    const path = `assignments.${index}.recordType`
    return [{ path, code: 'NOT_ALLOWED', message: `${path} must be a value of ${recordTypeField}.` }]
  })
}

const decisive = ['objectType', 'recordTypeField', 'assignments', 'definition'] as const

/** What a page names exists when it is written; a custom field or object that it names is not deleted. */
const pageFits: SerializedRule<Page> = {
  concerns: (_ctx, next, previous) =>
    !next.deletedAt && decisive.some((name) => !isSameValue(next[name], previous?.[name])),
  async enforce(ctx, next, previous) {
    if (!isLayoutType(next.objectType)) return [layoutTypeProblem('objectType')]
    const latest = await withLatestExtensions(ctx)
    const shape = shapeOfType(latest, next.objectType)
    // Another rule says that a custom object does not exist.
    if (!shape) return []
    // That of lists as well.
    const problems = definitionProblems(latest, next.definition, shape).filter(
      ({ code }) => code !== 'UNKNOWN_REFERENCE',
    )
    return [...recordTypeProblems(next, previous, shape), ...problems]
  },
}

const typesOf = ({ objectType, definition }: Page): NamedTypes => [
  ['objectType', objectType],
  ...listedTypes(definition),
]

export const page: RecordDefinition<Page> = defineRecord(Page, {
  object: 'page',
  table: 'extensions.page',
  visibleBy: [],
  searchable: ['apiName', 'label', 'description'],
  title: 'label',
  subtitle: 'apiName',
  references: { ownerId: activeUsers },
  unique: { page_api_name: 'apiName' },
  events: pageEvents,
  isAdministrative: true,
  audit: auditRecord(
    'page',
    ({ apiName, label, description, objectType, recordTypeField, assignments, definition }) => ({
      apiName,
      label,
      description,
      objectType,
      recordTypeField,
      assignments,
      definition,
    }),
  ),
  calculated: (next) => ({ names: namesOf(next) }),
  invariants: pageProblems,
  checks: profileProblems,
  serializedRules: [published, namedObjectsExist(typesOf), pageFits, fewPages],
})

registerUse({
  used: 'custom_object',
  user: 'page',
  sql: `select p.id, p.label as name from extensions.page p
    join extensions.custom_object o on o.organization_id = p.organization_id and 'custom:' || o.name = any(p.names)
    where o.organization_id = $1 and o.id = $2 and p.deleted_at is null order by p.api_name, p.id`,
})
