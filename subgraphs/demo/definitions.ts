import type { CustomField } from '../extensions/custom-field/custom-field.ts'
import type { PicklistValue } from '../extensions/custom-field/custom-field.parts.ts'
import type { CustomObject } from '../extensions/custom-object/custom-object.ts'
import { customRecordOf } from '../extensions/custom-record/custom-record.record.ts'
import { noProgress } from '../extensions/field-change/definition-state.ts'
import { readExtensions } from '../kernel/extension/extension.ts'
import type { GeneratedRecord } from '../kernel/record/insert-records.ts'
import type { OrganizationShapes } from '../kernel/record/shape-source.ts'
import type { Sql } from '../kernel/database/sql.ts'
import { hourMs, minuteMs } from './calendar.ts'
import { withHistory } from './history.ts'
import { commonFields, type GeneratorInput } from './organization.ts'
import { Random } from './random.ts'
import { outcomes, renewalMonths } from './vocabulary/custom-fields.ts'

const visitObject = {
  name: 'site_visit',
  label: 'Site visit',
  pluralLabel: 'Site visits',
  description: 'Visits of our people at a site of the customer.',
  nameField: 'subject',
} as const

/** The record type of site visits, without its fields. */
export const siteVisit = customRecordOf({ ...visitObject, formerNameFields: [] })

type Field = Partial<CustomField> & Pick<CustomField, 'entity' | 'name' | 'label' | 'fieldType'>

const picklist = (values: readonly (Pick<PicklistValue, 'value'> & Partial<PicklistValue>)[]): PicklistValue[] =>
  values.map((one, sortOrder) => ({ label: null, color: null, isDefault: false, isActive: true, ...one, sortOrder }))

const fields: readonly Field[] = [
  {
    entity: 'ACCOUNT',
    name: 'contractNumber',
    label: 'Contract number',
    fieldType: 'TEXT',
    description: 'Number of the framework agreement; customers only.',
    pattern: '^FR-[0-9]+$',
    maxLength: 7,
    isSearchable: true,
  },
  {
    entity: 'ACCOUNT',
    name: 'renewalMonth',
    label: 'Renewal month',
    fieldType: 'PICKLIST',
    description: 'When the agreement is renewed each year.',
    picklistValues: picklist(renewalMonths.map((value) => ({ value }))),
    isIndexed: true,
  },
  {
    entity: 'ACCOUNT',
    name: 'netPromoterScore',
    label: 'Net promoter score',
    fieldType: 'NUMBER',
    description: 'How likely the customer recommends us, 0 to 10.',
    precision: 0,
    minValue: 0,
    maxValue: 10,
    isIndexed: true,
  },
  {
    entity: 'ACCOUNT',
    name: 'openAmount',
    label: 'Open amount',
    fieldType: 'ROLLUP_SUMMARY',
    description: 'What the open deals of the account are worth, in the base currency.',
    rollupConfig: {
      childObject: 'OPPORTUNITY',
      relationField: 'accountId',
      aggregate: 'SUM',
      field: 'baseAmount',
      conditions: [{ field: 'isClosed', operator: 'EQUALS', value: false }],
      logic: null,
    },
  },
  {
    entity: 'OPPORTUNITY',
    name: 'margin',
    label: 'Margin',
    fieldType: 'CURRENCY',
    description: 'What is left of the amount after costs, in the currency of the deal.',
    precision: 2,
    minValue: 0,
    isIndexed: true,
  },
  {
    entity: 'OPPORTUNITY',
    name: 'marginRate',
    label: 'Margin rate',
    fieldType: 'FORMULA',
    description: 'The margin in percent of the amount; none before the margin is known.',
    formulaConfig: {
      expression: 'customFields.margin / amount * 100',
      returnType: 'NUMBER',
      decimals: 1,
      blankAs: 'BLANK',
    },
  },
  {
    entity: siteVisit.object,
    name: 'subject',
    label: 'Subject',
    fieldType: 'TEXT',
    description: 'Why the site is visited.',
    isRequired: true,
  },
  {
    entity: siteVisit.object,
    name: 'visitDate',
    label: 'Date of the visit',
    fieldType: 'DATE',
    isRequired: true,
    isIndexed: true,
  },
  {
    entity: siteVisit.object,
    name: 'account',
    label: 'Account',
    fieldType: 'LOOKUP',
    description: 'Whose site it is.',
    lookupEntity: 'ACCOUNT',
  },
  {
    entity: siteVisit.object,
    name: 'outcome',
    label: 'Outcome',
    fieldType: 'PICKLIST',
    description: 'What came of the visit; none before it.',
    picklistValues: picklist(outcomes),
    isIndexed: true,
  },
  {
    entity: siteVisit.object,
    name: 'score',
    label: 'Score',
    fieldType: 'NUMBER',
    description: 'How satisfied the customer was, 1 to 5; none before the visit.',
    precision: 0,
    minValue: 1,
    maxValue: 5,
  },
]

/** What the organization has defined when it was founded: custom fields and the custom object, each with the events of its creation and of the end of what it began. */
export function demoDefinitions(input: GeneratorInput) {
  const random = new Random(`definitions ${input.profile.code}`)
  const owner = input.users.find(({ role }) => role === 'OWNER')!
  const madeMs = input.foundedMs + hourMs
  const positions = new Map<string, number>()
  const customFields = fields.map((field, index) => {
    const createdMs = madeMs + (index + 1) * minuteMs
    const sortOrder = positions.get(field.entity) ?? 0
    positions.set(field.entity, sortOrder + 1)
    const values = { ...commonFields(input, random, createdMs, owner.id), ownerId: owner.id, sortOrder, ...field }
    const given = { values, actorId: owner.id, eventId: random.id(createdMs) }
    return withBuilding(random, given, createdMs)
  })
  const common = commonFields(input, random, madeMs, owner.id)
  const object: GeneratedRecord<CustomObject> = {
    values: { ...common, ownerId: owner.id, ...visitObject },
    actorId: owner.id,
    eventId: random.id(madeMs),
  }
  return { objects: [object], customFields }
}

/** A worker has built what reads use of an indexed field, a rollup or a formula, in a second, because there were no records. */
function withBuilding(
  random: Random,
  given: GeneratedRecord<CustomField>,
  createdMs: number,
): GeneratedRecord<CustomField> {
  const { fieldType, isIndexed } = given.values
  const built =
    fieldType === 'ROLLUP_SUMMARY'
      ? ({ name: 'hasTotals', change: 'BUILD_ROLLUP' } as const)
      : fieldType === 'FORMULA'
        ? ({ name: 'hasValues', change: 'BUILD_FORMULA' } as const)
        : isIndexed || fieldType === 'LOOKUP'
          ? ({ name: 'hasIndex', change: 'BUILD_INDEX' } as const)
          : null
  if (!built) return given
  const ready = { [built.name]: true, state: 'READY', progress: null } as const
  const building = { [built.name]: false, state: 'BUILDING', progress: noProgress(built.change) } as const
  return withHistory(random, { ...given, values: { ...given.values, ...ready } }, building, [
    { atMs: createdMs + 1_000, actorId: null, values: ready },
  ])
}

/** The record types with what the organization has defined. */
export async function definedShapes(sql: Sql, { organizationId }: GeneratorInput): Promise<OrganizationShapes> {
  await sql.query('select kernel.publish_definitions($1)', [organizationId])
  const extensions = await readExtensions(sql, organizationId)
  return extensions!.shapes!
}
