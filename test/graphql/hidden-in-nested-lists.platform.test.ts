import {
  buildClientSchema,
  getIntrospectionQuery,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  type IntrospectionQuery,
} from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadDemo } from '../../subgraphs/demo/demo.ts'
import { profiles } from '../../subgraphs/demo/profiles.ts'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { objectOfType, strictestLevel } from '../../subgraphs/kernel/record/field-security.ts'
import { recordNamed, recordTypeNames } from '../../subgraphs/kernel/record/record-registry.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { usePlatform, type Member } from '../platform.ts'

/** Types that are no records and show columns of a record. */
const shownFrom: Readonly<Record<string, string>> = { SequenceDeliveredMail: 'email' }

/** Lists of figures that are refused as a whole to whoever may not read a field from which they follow. */
const refused = new Set(['Account.payments'])

interface NestedList {
  /** `emailThread.messages` */
  readonly name: string
  readonly query: string
  readonly read: (body: Answer) => Record<string, unknown>[]
  /** The fields of its items that a profile can hide. */
  readonly hideable: readonly string[]
}
type Answer = {
  readonly data?: Readonly<Record<string, { readonly data: readonly Row[] }>>
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[]
}
type Row = Readonly<Record<string, unknown>>

/** Ids stay readable, because lists of records that hidden ids name are empty. */
const hideableOf = (object: string): string[] =>
  recordNamed(object)!
    .columns.shown.filter((column) => strictestLevel(column) === 'HIDDEN' && column.kind !== 'id')
    .map(({ name }) => name)

const isOptional = ({ args }: GraphQLField<unknown, unknown>): boolean => !args.some(isRequiredArgument)

/** The items of a field that is a list or a connection; null for another field. */
function itemsOf(field: GraphQLField<unknown, unknown>): { type: GraphQLObjectType; isConnection: boolean } | null {
  const named = getNamedType(field.type)
  if (!isObjectType(named) || !isOptional(field)) return null
  if (isListType(getNullableType(field.type))) return { type: named, isConnection: false }
  const nodes = named.getFields()['nodes']
  const type = nodes && getNamedType(nodes.type)
  return type && isObjectType(type) ? { type, isConnection: true } : null
}

function nestedListsOf(schema: GraphQLSchema): NestedList[] {
  const queries = Object.values(schema.getQueryType()!.getFields())
  return queries.flatMap((query): NestedList[] => {
    const page = getNamedType(query.type)
    const data = isObjectType(page) && query.name.endsWith('List') && isOptional(query) && page.getFields()['data']
    const root = data && getNamedType(data.type)
    if (!root || !isObjectType(root)) return []
    const own = recordNamed(objectOfType(root.name))
    return Object.values(root.getFields()).flatMap((field): NestedList[] => {
      const items = itemsOf(field)
      // A list in a column is hidden with it.
      if (!items || own?.columns.byName.has(field.name)) return []
      const object = shownFrom[items.type.name] ?? objectOfType(items.type.name)
      if (!recordNamed(object)) return []
      const leaves = Object.values(items.type.getFields()).filter(
        (leaf) => isLeafType(getNamedType(leaf.type)) && isOptional(leaf),
      )
      const hideable = leaves.map(({ name }) => name).filter((name) => hideableOf(object).includes(name))
      const selected = `{ ${leaves.map(({ name }) => name).join(' ')} }`
      const inner = items.isConnection ? `(first: 5) { nodes ${selected} }` : selected
      const limit = query.args.some(({ name }) => name === 'limit') ? '(limit: 20)' : ''
      const read = (body: Answer) =>
        (body.data?.[query.name]?.data ?? []).flatMap((row) => {
          const value = row[field.name] as { nodes: Record<string, unknown>[] } & Record<string, unknown>[]
          return value === null ? [] : items.isConnection ? value.nodes : value
        })
      return [
        {
          name: `${root.name}.${field.name}`,
          query: `{ ${query.name}${limit} { data { ${field.name} ${inner} } } }`,
          read,
          hideable,
        },
      ]
    })
  })
}

const isEmpty = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && Object.keys(value!).length === 0)

const platform = usePlatform()
let lists: NestedList[]
let all: Member
let restricted: Member

beforeAll(async () => {
  const { services, dataDir, url } = platform
  const demo = await loadDemo({ services, dataDir, baseUrl: url, profiles: [profiles[1]!] })
  const organizationId = demo.organizations[0]!.id
  all = await platform.member({ organizationId, role: 'ADMIN' })
  restricted = await platform.member({ organizationId, role: 'ADMIN' })
  const fields = Object.fromEntries(
    recordTypeNames().map((object) => [object, Object.fromEntries(hideableOf(object).map((name) => [name, 'HIDDEN']))]),
  )
  const ctx = systemContext(services, organizationId)
  await assignProfile(ctx, restricted.userId, (await createProfile(ctx, { name: 'Almost nothing', fields })).id)
  const { body: activities } = await all.rest.activityList!({ query: { limit: 1 } })
  const [{ id }] = activities.data as [{ id: string }]
  await all.rest.activityCorrect!({ id, body: { subject: 'Corrected', body: 'Corrected.' } })
  await all.rest.activityCorrect!({ id, body: { subject: null } })
  const { body } = await all.graphql(getIntrospectionQuery())
  lists = nestedListsOf(buildClientSchema((body as { data: IntrospectionQuery }).data))
})

describe('the nested lists of the graph', () => {
  it('show no hidden field of their records', async () => {
    const shown: string[] = []
    const unproven: string[] = []
    expect(lists.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['EmailThread.messages', 'SequenceEnrollment.mails']),
    )
    for (const { name, query, read, hideable } of lists) {
      const answers = [(await all.graphql(query)).body, (await restricted.graphql(query)).body] as Answer[]
      if (refused.has(name)) {
        expect(new Set(answers[1]!.errors!.map(({ extensions }) => extensions.code))).toEqual(
          new Set(['FIELD_NOT_READABLE']),
        )
        expect(read(answers[1]!)).toEqual([])
        continue
      }
      expect([name, answers.map(({ errors }) => errors)]).toEqual([name, [undefined, undefined]])
      const [complete, reduced] = answers.map(read) as [Record<string, unknown>[], Record<string, unknown>[]]
      const filled = (rows: Record<string, unknown>[]) =>
        hideable.filter((field) => rows.some((row) => !isEmpty(row[field])))
      shown.push(...filled(reduced).map((field) => `${name}.${field}`))
      if (filled(complete).length === 0 || reduced.length === 0) unproven.push(name)
    }
    expect(shown).toEqual([])
    // Of these the demo has no record with a value that can be hidden.
    expect(unproven).toEqual([
      'CreditNote.files',
      'Invoice.files',
      'Order.files',
      'Product.files',
      'Quote.files',
      'Activity.files',
      'Account.files',
      'Contact.orders',
      'Contact.invoices',
      'Contact.creditNotes',
      'Contact.files',
      'Contact.opportunities',
      'Contact.smartEmailDrafts',
      'Lead.files',
      'Lead.emailThreads',
      'Lead.sequenceEnrollments',
      'Opportunity.files',
      'Opportunity.contacts',
      'Opportunity.emailThreads',
      'Opportunity.smartEmailDrafts',
      'Task.files',
      'EmailThread.replyDrafts',
      'ReplyDraft.files',
      'SmartEmailDraft.files',
      'Case.files',
      'Case.emailThreads',
      'Case.comments',
    ])
  })
})
