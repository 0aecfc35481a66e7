import { newId } from '../../subgraphs/kernel/ids.ts'
import type { Sender } from './sender.ts'
import { freshPrefix } from './valid-values.ts'

/**
 * A record type with fields. Its records also get the key of sample values, which is no key without a field from then on. The field keeps its
 * history.
 */
async function withSample({ platform, member }: Sender, entity: string): Promise<void> {
  const added = await platform.query(
    `insert into extensions.field_definition (organization_id, id, owner_id, custom_fields, version, created_at, updated_at,
       entity, name, label, field_type, is_required, is_active, is_searchable, track_history,
       sort_order)
     values ($1, $2, $3, '{}', 1, now(), now(), $4, 'sample', 'Sample', 'TEXT', false, true, false, true, 0)
     on conflict do nothing returning id`,
    [member.organizationId, newId(), member.userId, entity],
  )
  if (added.length > 0) await platform.query('select kernel.publish_definitions($1)', [member.organizationId])
}

const field = () => ({
  entity: 'QUOTE',
  name: `${freshPrefix().replace('-', '_')}field`,
  label: 'Tier',
  fieldType: 'PICKLIST',
  picklistValues: [{ value: 'GOLD' }, { value: 'SILVER', isActive: false }],
})

const rest = () => ({
  description: 'Level of service.',
  isRequired: false,
  isActive: false,
  isSearchable: false,
  trackHistory: true,
  isIndexed: true,
  isUnique: false,
  defaultValue: 'GOLD',
  controllingField: null,
  dependentValues: null,
  pattern: null,
  formulaConfig: null,
  lookupEntity: null,
  lookupObject: null,
  lookupDeleteBehavior: null,
  isReparentable: false,
  rollupConfig: null,
  precision: null,
  maxLength: null,
  minValue: null,
  maxValue: null,
  sortOrder: 3,
  tags: ['fields'],
})

const changed = () => {
  const { label, picklistValues } = field()
  return { label, picklistValues }
}

export const customFieldBodies = {
  customFieldCreate: async (requests: Sender, whole: boolean) => {
    await withSample(requests, 'QUOTE')
    return { ...field(), ...(whole && rest()) }
  },
  customFieldUpdate: async (_requests: Sender, whole: boolean) =>
    whole ? { ...changed(), ...rest(), fieldType: 'PICKLIST' } : {},
  customFieldReplaceValue: async () => ({ from: 'SILVER', to: 'GOLD' }),
  customFieldCheckFormula: async (_requests: Sender, whole: boolean) => ({
    entity: 'QUOTE',
    formulaConfig: { expression: 'LEN(name)', returnType: 'NUMBER', ...(whole && { decimals: 0, blankAs: 'ZERO' }) },
    ...(whole && { name: 'nameLength', recordId: null }),
  }),
  customFieldReorder: async ({ platform, member }: Sender) => {
    const rows = await platform.query<{ id: string }>(
      `select id from extensions.field_definition
       where organization_id = $1 and entity = 'QUOTE' and deleted_at is null order by sort_order desc, id`,
      [member.organizationId],
    )
    return { entity: 'QUOTE', fieldIds: rows.map(({ id }) => id) }
  },
}

/** Parts of the bodies of fields of other types than that of the sample, for the tests of the values in them. */
const formulaParts = { formulaConfig: { expression: 'LEN(name)', returnType: 'NUMBER', decimals: 0, blankAs: 'ZERO' } }

const rollupParts = {
  rollupConfig: {
    childObject: 'OPPORTUNITY',
    relationField: 'accountId',
    aggregate: 'COUNT',
    field: null,
    conditions: null,
    logic: 'AND',
  },
}

export const customFieldParts = {
  customFieldCreate: { ...formulaParts, ...rollupParts },
  customFieldUpdate: { ...formulaParts, ...rollupParts },
}

/** A record with the history of two changes. */
const withHistory = (object: string) => async (requests: Sender, id: string) => {
  await withSample(requests, object.toUpperCase())
  for (const sample of ['First', 'Second']) {
    const { status, body } = await requests.member.rest[`${object}Update`]!({ id, body: { customFields: { sample } } })
    if (status !== 200) throw new Error(`${object}Update answered ${status}: ${JSON.stringify(body)}`)
  }
}

/** A record of a custom object with the history of two changes. */
async function customRecordHistory(
  { platform, member }: Sender,
  _first: string,
  { name, id }: Record<string, string>,
): Promise<void> {
  await platform.query(
    `update extensions.field_definition set track_history = true where organization_id = $1 and entity = $2 and name = 'sample'`,
    [member.organizationId, `custom:${name}`],
  )
  await platform.query('select kernel.publish_definitions($1)', [member.organizationId])
  for (const sample of ['First', 'Second']) {
    const request = { name, id, body: { customFields: { sample } } }
    const { status, body } = await member.rest['customRecordUpdate']!(request as never)
    if (status !== 200) throw new Error(`customRecordUpdate answered ${status}: ${JSON.stringify(body)}`)
  }
}

export const customFieldPreparations = {
  /** A field of its own: it is not changed again before its values are replaced. */
  customFieldReplaceValue: () => Promise.resolve(),
  leadFieldHistory: withHistory('lead'),
  contactFieldHistory: withHistory('contact'),
  accountFieldHistory: withHistory('account'),
  opportunityFieldHistory: withHistory('opportunity'),
  productFieldHistory: withHistory('product'),
  quoteFieldHistory: withHistory('quote'),
  customRecordFieldHistory: customRecordHistory,
}
