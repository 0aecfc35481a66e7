import { readFileSync } from 'node:fs'
import { getNamedType, isObjectType, type GraphQLObjectType } from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { LoadedSupergraph } from '../../gateway/graph/supergraph.ts'
import { recordTypes, subgraphs } from '../../subgraphs/all.ts'
import { schemaPath } from '../../subgraphs/kernel/config/paths.ts'
import type { Sql } from '../../subgraphs/kernel/database/sql.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { initialValue, type Column } from '../../subgraphs/kernel/record/column.ts'
import type { RecordShape } from '../../subgraphs/kernel/record/definition.ts'
import { insertTextOf } from '../../subgraphs/kernel/record/insert-text.ts'
import { namingFieldsOf, namingShapes, pathOf, type NamingField } from '../../subgraphs/kernel/record/merge/naming.ts'
import { recordType } from '../../subgraphs/kernel/record/record-registry.ts'
import { shapeFor } from '../../subgraphs/kernel/record/shape-source.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account, contact, lead } from '../builders.ts'
import { anOrganization } from '../extensions/custom-fields.fixture.ts'
import { lookup, visitsOfAccounts } from '../extensions/lookups.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'

const { apiSchema } = new LoadedSupergraph(readFileSync(schemaPath('supergraph.graphql'), 'utf8'))

/** The record types of the platform that can be merged, with the names of their GraphQL types. */
const merged = { account: 'Account', contact: 'Contact', lead: 'Lead' } as const
type Merged = keyof typeof merged
const objects = Object.keys(merged) as Merged[]

const typeNames = new Map(
  subgraphs.flatMap(({ resources }) =>
    resources.flatMap(({ entities = {} }) =>
      Object.entries(entities).map(([name, { object }]) => [object, name] as const),
    ),
  ),
)
const graphTypeOf = ({ object }: RecordShape): GraphQLObjectType | null => {
  const type = apiSchema.getType(typeNames.get(object) ?? '')
  return isObjectType(type) ? type : null
}

/** The names under which the record of an id can be a field: `parentAccountId` is `parentAccount` or `parent`. */
const fieldsFor = (id: string): string[] =>
  id.endsWith('Ids') ? [id.replace(/Ids$/, 's')] : [id.replace(/Id$/, ''), id.replace(/(?:Account|User)Id$/, '')]

/** The record types whose records the graph shows beside this id. */
function namedIn(type: GraphQLObjectType | null, id: string): Merged[] {
  const fields = type?.getFields() ?? {}
  return objects.filter((object) =>
    fieldsFor(id).some((name) => fields[name] && getNamedType(fields[name].type).name === merged[object]),
  )
}

const copied = 'it is copied from the record that names it, which is changed'
/** References that a merge does not move, each with the reason. */
const notMoved: Readonly<Record<string, string>> = {
  'opportunity.contactIds': 'it follows from contactRoles',
  'payment.accountId': copied,
}

describe('the registry of references', () => {
  it('has every id beside which the graph shows a record that can be merged', () => {
    const missing = recordTypes.flatMap((shape) => {
      const type = graphTypeOf(shape)
      const plain = shape.columns.shown.flatMap((column) =>
        namedIn(type, column.name).map((object) => ({ column, part: null as Column | null, object })),
      )
      const parts = shape.columns.structured.flatMap((column) => {
        const structure = apiSchema.getType(column.structure!.name)
        return column.structure!.parts.flatMap((part) =>
          namedIn(isObjectType(structure) ? structure : null, part.name).map((object) => ({ column, part, object })),
        )
      })
      return [...plain, ...parts].flatMap(({ column, part, object }) => {
        const isKnown = namingFieldsOf(shape, object).some(
          (field) => field.column.name === column.name && field.part?.name === part?.name,
        )
        const path = `${shape.object}.${column.name}${part ? `.${part.name}` : ''}`
        return isKnown && namingShapes({ shapes: null }, object).some((one) => one.shape.object === shape.object)
          ? []
          : [path]
      })
    })
    expect([...new Set(missing)].toSorted()).toEqual(Object.keys(notMoved).toSorted())
  })
})

const history = 'it says what happened, or what was known, at a time'
const derived = 'it is derived from records or events, and follows them'
const work = 'it is an item of work, which ends when its record is gone'

/** Columns with ids in tables of organizations that a merge does not change, each with the reason. */
const unchangedColumns: Readonly<Record<string, string>> = {
  'assistant.account_brief.account_id': 'it is a text of one user about one account, which is written again',
  'assistant.proposal.record_id': 'it was made of one version of one record; confirming it says where the record is',
  'commerce.invoice.account_id': 'it follows from customer_id',
  'commerce.invoice_balance.customer_id': derived,
  'commerce.payment.account_id': copied,
  'commerce.payment_entry.account_id': copied,
  'commerce.payment_entry.contact_id': copied,
  'commerce.credit_note.account_id': 'it follows from customer_id',
  'crm.stage_entry.account_id': derived,
  'events.delivery_queue.debounced_record_id': work,
  'events.notification.entity_id': 'it is a message about what happened; its link leads on',
  'extensions.detail_change.record_id': work,
  'extensions.lookup_clearing.record_id': work,
  'extensions.workflow_run.record_id': history,
  'identity.audit_entry.target_id': history,
  'insights.churn_observation.account_id': history,
  'insights.engagement.record_id': derived,
  'insights.triage_risk.account_id': history,
  'kernel.event.record_id': history,
  'kernel.event_log.record_id': history,
  'kernel.event_pending.record_id': history,
  'kernel.merged_record.record_id': 'it is what a merge writes',
  'kernel.record_value.record_id': derived,
  'kernel.rollup.parent_id': derived,
  'kernel.rollup_delta.parent_id': derived,
  'kernel.rollup_value.parent_id': derived,
  'kernel.search_entry.record_id': derived,
  'outreach.email_entry.account_id': copied,
  'outreach.email_entry.contact_id': copied,
  'outreach.email_entry.lead_id': copied,
  'records.field_history.record_id': history,
  'records.merge_move.record_id': 'it is the record that stays',
  'records.undo_item.record_id': history,
}

const platform = usePlatform()
let owner: Member
let member: Member

beforeAll(async () => {
  ;({ owner, member } = await anOrganization(platform))
  await visitsOfAccounts(owner)
  for (const entity of ['CONTACT', 'LEAD'])
    await lookup(platform, owner, { entity: 'ACCOUNT', name: `the_${entity.toLowerCase()}`, lookupEntity: entity })
  await lookup(platform, owner)
})

const create = { account, contact, lead } as const
const context = async () => {
  await platform.services.extensions.load(owner.organizationId)
  return systemContext(platform.services, owner.organizationId)
}

const withKind = ({ kind }: NamingField): object => (kind ? { [kind.name]: kind.value } : {})

/** The value of a field that names this record. */
function valueNaming({ column, part, ...field }: NamingField, id: string): unknown {
  if (!part) return column.kind === 'textList' ? [id] : id
  const parts = Object.fromEntries(
    column.structure!.parts.map((one) => [one.name, one.example ?? initialValue(one) ?? null]),
  )
  const named = { ...parts, ...withKind({ column, part, ...field }), [part.name]: part.kind === 'textList' ? [id] : id }
  return column.structure!.isList ? [named] : named
}

let numbers = 1_000
/** The number of a record, which is unique, in all columns that have it. */
function numbersOf({ columns, numberText }: RecordShape, numbered: string): object {
  const number = ++numbers
  const text =
    numberText?.column ?? columns.stored.find(({ name }) => name.endsWith('Number') && name !== numbered)?.name
  return { [numbered]: number, ...(text && { [text]: `N-${number}` }) }
}

/** A value for a column that must have one. */
const textOf = ({ kind }: Column): unknown =>
  ({ integer: 0, number: 0, money: 0, timestamp: '2027-01-01T00:00:00.000Z', json: {} })[kind as string] ?? 'x'

/** Stores a record with the examples of its columns that names a record in one field. */
async function naming(
  sql: Pick<Sql, 'query'>,
  shape: RecordShape,
  field: NamingField,
  target: string,
): Promise<string> {
  const id = newId()
  const others = shape.columns.stored.map((column) => {
    // Other references of the example would be changed, too.
    if (column.nullable) return [column.name, null]
    const isReference = column.kind === 'id' || column.structure || column.kind === 'textList'
    return [column.name, (isReference ? null : column.example) ?? initialValue(column) ?? textOf(column)]
  })
  const { column, part } = field
  const value = valueNaming(field, target)
  const now = '2027-01-01T00:00:00.000Z'
  const record: Record<string, unknown> = {
    ...Object.fromEntries(others),
    ...Object.fromEntries(shape.columns.ids.filter(({ nullable }) => !nullable).map(({ name }) => [name, newId()])),
    ...(part ? {} : withKind(field)),
    ...(field.index && { [field.index.name]: [target] }),
    ...(column.key === undefined ? { [column.name]: value } : { customFields: { [column.key]: value } }),
    ...(shape.objectColumn && { [shape.objectColumn]: shape.objectKey }),
    ...(shape.numbered && numbersOf(shape, shape.numbered)),
    id,
    organizationId: owner.organizationId,
    ownerId: owner.userId,
    version: 1,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
  }
  const { columns, names, placeholders } = insertTextOf(shape.columns)
  await sql.query(
    `insert into ${shape.table} (${names}) values (${placeholders})`,
    columns.map(({ name, stored }) => stored(record[name] ?? null)),
  )
  if (column.lookup)
    await sql.query(
      `insert into kernel.record_value (organization_id, object, field, record_id, created_at, kind, id_value) values ($1, $2, $3, $4, $5, 'id', $6)`,
      [owner.organizationId, shape.object, column.key, id, now, target],
    )
  return id
}

const rowOf = async (shape: RecordShape, id: string): Promise<{ text: string; version: number }> => {
  const [row] = await platform.query<{ text: string; version: number }>(
    `select t::text as text, version from ${shape.table} t where id = $1`,
    [id],
  )
  return row!
}

/** All tables of organizations in which one of these ids is, and the columns whose names say that they have ids of records. */
async function tablesWith(ids: readonly string[]): Promise<string[]> {
  const tables = await platform.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where column_name = 'organization_id' and table_type = 'BASE TABLE' order by 1`,
  )
  const found: string[] = []
  for (const { name } of tables) {
    const [row] = await platform.query<{ n: number }>(
      `select count(*)::int as n from ${name} t where organization_id = $1 and t::text ~ $2`,
      [owner.organizationId, ids.join('|')],
    )
    if (row!.n > 0) found.push(name)
  }
  return found
}

describe('a merge', () => {
  it.each(objects)('of two records of the type %s moves every reference that is registered', async (object) => {
    const ctx = await context()
    const [stays, gone] = [await create[object](member), await create[object](member)]
    const target = recordType(object)()
    const rows: { path: string; shape: RecordShape; id: string }[] = []
    for (const { shape, fields } of namingShapes(ctx, target.object))
      for (const field of fields) {
        const id = await naming({ query: platform.query } as Sql, shapeFor(ctx, shape), field, gone.id)
        rows.push({ path: `${shape.object}.${pathOf(field)}`, shape, id })
      }
    expect(rows.length).toBeGreaterThan(5)
    const { status, body } = await member.rest[`${object}Merge`]!({ id: stays.id, body: { ids: [gone.id] } } as never)
    expect(status, JSON.stringify(body)).toBe(200)
    for (const { path, shape, id } of rows) {
      const { text, version } = await rowOf(shape, id)
      expect([path, text.includes(stays.id), text.includes(gone.id), version]).toEqual([path, true, false, 2])
      const events = (await platform.eventsOf(id)).map(({ type, actorId }) => [type, actorId])
      expect(events, path).toEqual([[expect.stringMatching(/\.updated$/), member.userId]])
    }
    const counted = (body.references as { object: string; field: string }[]).map((one) => `${one.object}.${one.field}`)
    expect(new Set(counted)).toEqual(new Set(rows.map(({ path }) => path)))
    // The record that is gone is in its own row, in what tells of the merge, and in what happened before.
    const tells = new Set(['kernel.merged_record', 'kernel.search_entry'])
    const left = (await tablesWith([gone.id])).filter((name) => !tells.has(name) && !name.startsWith('kernel.event'))
    expect(left).toEqual([target.table])
  })

  it('moves what every column with ids of records has, or there is a reason', async () => {
    const columns = await platform.query<{ table: string; column: string }>(
      `select format('%s.%s', c.table_schema, c.table_name) as table, c.column_name as column
       from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
       where t.table_type = 'BASE TABLE' and c.table_schema not in ('public', 'pg_catalog', 'information_schema', 'graphile_worker', 'tenant')
         and c.data_type in ('uuid', 'text', 'ARRAY', 'jsonb')
         and c.column_name ~ '(^|_)(account|contact|lead|customer|related_to|record|entity|parent|target|reports_to)_ids?$'
         and exists (select from information_schema.columns o where o.table_schema = c.table_schema and o.table_name = c.table_name
           and o.column_name = 'organization_id')
       order by 1, 2`,
    )
    const known = new Set(
      [...objects, 'custom:site_visit'].flatMap((object) =>
        namingShapes({ shapes: null }, object).flatMap(({ shape, fields }) =>
          fields.flatMap(({ column, index }) =>
            [column, ...(index ? [index] : [])].map((one) => `${shape.table.replaceAll('"', '')}.${one.column}`),
          ),
        ),
      ),
    )
    const rows = subgraphs
      .flatMap(({ resources }) => resources.flatMap(({ names = [] }) => names))
      .map(({ move }) => move)
      .join('\n')
    const isInRows = (table: string, column: string): boolean => rows.includes(table) && rows.includes(column)
    const open = columns
      .filter(({ table, column }) => !known.has(`${table}.${column}`) && !isInRows(table, column))
      .filter(({ table }) => !/_(?:\d{4}_\d\d|other)$/.test(table))
      .map(({ table, column }) => `${table}.${column}`)
    expect(open).toEqual(Object.keys(unchangedColumns).toSorted())
  })
})
