import { beforeAll, describe, expect, it } from 'vitest'
import { fieldsOfShape } from '../../subgraphs/kernel/condition/condition-fields.ts'
import { compileConditions } from '../../subgraphs/kernel/condition/conditions.ts'
import { operatorSql } from '../../subgraphs/kernel/record/operators.ts'
import { Values } from '../../subgraphs/kernel/record/predicate.ts'
import type { RecordShape } from '../../subgraphs/kernel/record/definition.ts'
import { subgraphs } from '../../subgraphs/all.ts'
import { isRecordShape } from '../../subgraphs/kernel/record/definition.ts'
import { contact, lead } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { restAreas, typeOf } from '../rest-areas.ts'
import { graphqlClient } from '../rest-client.ts'

const platform = usePlatform()
const ann = 'Ann.Case@Corp.Example'
const bob = 'Bob@Corp.Example'
/** Each finds what has the address of Ann. */
const spellings = ['ann.case@corp.example', 'ANN.CASE@CORP.EXAMPLE', '  Ann.Case@Corp.Example ', ann]

let member: Member
let session: Member['graphql']
/** What is in each list: the record with the address of Ann, the one with that of Bob, and the one without an address where one may be missing. */
const ids: Record<string, { ann: string; bob: string; none?: string }> = {}

/** The columns with email addresses that a filter can name, as `type.column`. */
const columns = restAreas.flatMap((area) =>
  area.definition.columns.shown
    .filter(({ isEmail }) => isEmail)
    .map(({ name, kind }) => ({ column: `${typeOf(area)}.${name}`, kind })),
)
const texts = ['AdminUser.email', ...columns.filter(({ kind }) => kind === 'text').map(({ column }) => column)]
const lists = columns.filter(({ kind }) => kind === 'textList').map(({ column }) => column)

/** The ids of the records that the filter finds, in the order of creation. */
async function found(type: string, filter: object): Promise<string[]> {
  const list = type === 'AdminUser' ? 'userList' : `${type.charAt(0).toLowerCase()}${type.slice(1)}List`
  const ask = type === 'AdminUser' ? session : member.graphql
  const { body } = await ask(`query ($filter: ${type}Filter) { ${list}(filter: $filter) { data { id } } }`, { filter })
  expect(body.errors).toBe(undefined)
  return (body.data[list].data as { id: string }[]).map(({ id }) => id).sort()
}

const sorted = (...given: (string | undefined)[]): string[] => given.filter((id) => id !== undefined).sort()

async function receive(from: string, to: string): Promise<string> {
  const body = { from, to: [to], subject: `Of ${from}`, text: 'Yes' }
  const answer = await member.rest.emailInboundReceive!({ query: { api_key: member.secret }, body })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return (answer.body as { threadId: string }).threadId
}

async function aDraft(list: string, address: string): Promise<string> {
  const input = { toEmails: ['ida@corp.example'], [list]: [address] }
  const { body } = await member.graphql(
    'mutation ($input: SmartEmailDraftCreateInput!) { smartEmailDraftCreate(input: $input) { id } }',
    { input },
  )
  expect(body.errors).toBe(undefined)
  return body.data.smartEmailDraftCreate.id as string
}

async function aMailbox(email: string): Promise<string> {
  const server = { smtpHost: 'mail.corp.example', smtpPort: 587 }
  const answer = await member.rest.mailboxCreate!({ body: { name: 'Box', email, ...server } })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return (answer.body as { id: string }).id
}

beforeAll(async () => {
  member = await platform.member({ role: 'OWNER' })
  session = graphqlClient(platform.url, { Authorization: `Bearer ${await sessionOf(platform, member)}` })
  const colleague = await platform.member({ organizationId: member.organizationId })
  await platform.query(
    `update identity.person set email = case id when (select person_id from identity.app_user where id = $1) then $2 else $3 end
     where id in (select person_id from identity.app_user where id in ($1, $4))`,
    [member.userId, ann.toLowerCase(), bob.toLowerCase(), colleague.userId],
  )
  ids['AdminUser.email'] = { ann: member.userId, bob: colleague.userId }
  const people = [`  ${ann} `, bob, null]
  const [annsContact, bobsContact, noContact] = await Promise.all(people.map((email) => contact(member, { email })))
  ids['Contact.email'] = { ann: annsContact.id, bob: bobsContact.id, none: noContact.id }
  const [annsLead, bobsLead, noLead] = await Promise.all(people.map((email) => lead(member, { email })))
  ids['Lead.email'] = { ann: annsLead.id, bob: bobsLead.id, none: noLead.id }
  const change = (id: string, email: string) =>
    member.rest.contactUpdate!({ id, body: { secondaryEmails: [email, 'more@corp.example'] } })
  await Promise.all([change(annsContact.id, ` ${ann}`), change(bobsContact.id, bob)])
  ids['Contact.secondaryEmails'] = ids['Contact.email']
  ids['Mailbox.email'] = { ann: await aMailbox(ann), bob: await aMailbox(bob) }
  ids['EmailThread.participants'] = {
    ann: await receive(ann, 'crm@corp.example'),
    bob: await receive(bob, 'crm@corp.example'),
  }
  for (const list of ['toEmails', 'ccEmails', 'bccEmails'])
    ids[`SmartEmailDraft.${list}`] = { ann: await aDraft(list, ann), bob: await aDraft(list, bob) }
})

describe('a filter by an email address', () => {
  it('is known for every column with addresses', () => {
    expect([...texts, ...lists].sort()).toEqual(Object.keys(ids).sort())
    const named = subgraphs
      .flatMap(({ resources }) => resources.flatMap(({ entities = {} }) => Object.values(entities)))
      .filter(isRecordShape)
      .flatMap(({ object, columns: { shown } }) =>
        shown
          .filter(({ name, isEmail }) => /(^e|E)mails?$|^participants$/.test(name) && !isEmail)
          .map(({ name, kind }) => `${object}.${name} ${kind}`),
      )
    // The participants of an activity are objects.
    expect(named).toEqual(['activity.participants json'])
  })

  it.each(texts)('finds %s in any spelling', async (name) => {
    const [type, column] = name.split('.') as [string, string]
    const { ann: annsId, bob: bobsId, none } = ids[name]!
    for (const spelling of spellings) {
      const by = (operators: object) => found(type, { [column]: operators })
      expect(await by({ eq: spelling })).toEqual([annsId])
      expect(await by({ in: [spelling] })).toEqual([annsId])
      expect(await by({ in: [spelling, ` ${bob.toUpperCase()}`] })).toEqual(sorted(annsId, bobsId))
      expect(await by({ ne: spelling })).toEqual(sorted(bobsId, none))
      expect(await by({ notIn: [spelling] })).toEqual(sorted(bobsId, none))
      expect(await by({ notIn: [spelling, bob.toLowerCase()] })).toEqual(sorted(none))
    }
    expect(await found(type, { [column]: { eq: 'ann.case@corp.exampl' } })).toEqual([])
    expect(await found(type, { [column]: { eq: '' } })).toEqual([])
  })

  it.each(lists)('finds an item of %s in any spelling', async (name) => {
    const [type, column] = name.split('.') as [string, string]
    const { ann: annsId, bob: bobsId } = ids[name]!
    for (const spelling of spellings) {
      const by = (operators: object) => found(type, { [column]: operators })
      expect(await by({ has: spelling })).toEqual([annsId])
      expect(await by({ hasAll: [spelling] })).toEqual([annsId])
      expect(await by({ hasAll: [spelling, bob] })).toEqual([])
      expect(await by({ hasAny: [spelling, ` ${bob.toUpperCase()}`] })).toEqual(sorted(annsId, bobsId))
    }
    expect(await found(type, { [column]: { has: 'ann.case@corp.exampl' } })).toEqual([])
  })

  // Of drafts, everybody sees only the own ones, which are few.
  it.each([...texts, ...lists].filter((name) => !/^(AdminUser|SmartEmailDraft)\./.test(name)))(
    'on %s has an index on the form that it compares',
    async (name) => {
      const [type, column] = name.split('.') as [string, string]
      const { definition } = restAreas.find((area) => typeOf(area) === type)!
      const found = definition.columns.byName.get(column)!
      const sql = operatorSql(
        found,
        found.sql('t'),
        found.kind === 'textList' ? 'has' : 'eq',
        'a@b.example',
        new Values(),
      )
      const compared = /^(.*) (?:=|@>) /.exec(sql)![1]!.replaceAll('t.', '').replaceAll('"', '')
      const indexes = await platform.query<{ text: string }>(
        `select indexdef as text from pg_indexes where schemaname || '.' || tablename = $1`,
        [definition.table],
      )
      expect(indexes.some(({ text }) => text.includes(`(organization_id, ${compared}`))).toBe(true)
    },
  )

  it.each(['contact', 'lead', 'mailbox'])('is a query parameter of %s lists', async (object) => {
    const { ann: annsId } = ids[`${object.charAt(0).toUpperCase()}${object.slice(1)}.email`]!
    for (const email of spellings) {
      const { status, body } = await member.rest[`${object}List`]!({ query: { email } })
      expect(status).toBe(200)
      expect((body as { data: { id: string }[] }).data.map(({ id }) => id)).toEqual([annsId])
    }
  })
})

describe('a condition on an email address', () => {
  const stored = [ann, ` ${ann}`, ann.toLowerCase(), `${ann} `, bob, 'x@corp.example', null]
  const operators = { EQUALS: 'eq', NOT_EQUALS: 'ne', IN: 'in', NOT_IN: 'notIn' } as const

  it.each(['contact', 'lead'])('of a %s is met exactly where the filter finds it', async (object) => {
    const other = await platform.member({ organizationId: await platform.organization(object) })
    const create = object === 'contact' ? contact : lead
    const records = (await Promise.all(stored.map((email) => create(other, { email })))) as { id: string }[]
    const shape: RecordShape = restAreas.find(({ definition }) => definition.object === object)!.definition
    const type = object === 'contact' ? 'Contact' : 'Lead'
    for (const spelling of [...spellings, bob.toUpperCase(), 'nobody@corp.example'])
      for (const [operator, name] of Object.entries(operators)) {
        const value = name === 'in' || name === 'notIn' ? [spelling, 'x@corp.example '] : spelling
        const meets = compileConditions(
          { conditions: [{ field: 'email', operator, value }] },
          fieldsOfShape(shape, null),
        )
        const met = records.filter((record) => meets(record as never, null, 0)).map(({ id }) => id)
        const { body } = await other.graphql(
          `query ($filter: ${type}Filter) { ${object}List(filter: $filter) { data { id } } }`,
          { filter: { email: { [name]: value } } },
        )
        const list = body.data[`${object}List`].data as { id: string }[]
        expect(list.map(({ id }) => id).sort(), `${name} ${String(value)}`).toEqual(met.sort())
      }
  })

  it('compares a list, and a field with another, in the same way', () => {
    const shape: RecordShape = restAreas.find(({ definition }) => definition.object === 'contact')!.definition
    const meets = (condition: object, record: object, previous: object | null = null) =>
      compileConditions({ conditions: [condition] }, fieldsOfShape(shape, null))(record as never, previous as never, 0)
    const contains = { field: 'secondaryEmails', operator: 'CONTAINS', value: spellings[2] }
    expect(meets(contains, { secondaryEmails: [` ${ann}`] })).toBe(true)
    expect(meets(contains, { secondaryEmails: [bob] })).toBe(false)
    const sameAsName = { field: 'name', operator: 'EQUALS', value: 'email', valueType: 'FIELD' }
    expect(meets(sameAsName, { name: ann.toUpperCase(), email: ` ${ann}` })).toBe(true)
    expect(meets(sameAsName, { name: bob, email: ann })).toBe(false)
    const changedTo = { field: 'email', operator: 'CHANGED_TO', value: spellings[1] }
    expect(meets(changedTo, { email: ann }, { email: bob })).toBe(true)
    expect(meets(changedTo, { email: bob }, { email: ann })).toBe(false)
  })
})
