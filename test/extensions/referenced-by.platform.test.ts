import { beforeEach, describe, expect, it } from 'vitest'
import { account, contact, supportCase, task } from '../builders.ts'
import { BulkJobs } from '../bulk-jobs.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'
import { statementsOf } from '../statements.ts'
import { anOrganization, field, problemsOf } from './custom-fields.fixture.ts'
import { memberWithout, object, visit, type Stored } from './custom-objects.fixture.ts'
import { visitsAndFindings } from './details.fixture.ts'
import { settleFieldChanges } from './field-changes.fixture.ts'

const platform = usePlatform()
const jobs = new BulkJobs(platform)
let owner: Member
let member: Member
let seller: Member

beforeEach(async () => {
  ;({ owner, member } = await anOrganization(platform))
  await visitsAndFindings(platform, owner)
  seller = await platform.member({ organizationId: owner.organizationId, visibility: 'OWN' })
})

const visitOf = (accountId: string, subject: string, by = member) => visit(by, { subject, account: accountId })
const visits = `referencedBy(object: "custom:site_visit", field: "account") { nodes { object id name } hasNextPage }`

async function read<T>(by: Member, document: string, variables: object = {}): Promise<T> {
  const { body } = await by.graphql(document, variables)
  expect(body.errors).toBeUndefined()
  return body.data as T
}
const refusal = async (by: Member, of: string, fields = '{ nodes { id } }') => {
  const { body } = await by.graphql(`{ accountConnection { nodes { referencedBy(${of}) ${fields} } } }`)
  const { code, errors, missingScopes } = body.errors[0].extensions
  return [code, errors?.[0].path ?? missingScopes]
}

describe('referencedBy', () => {
  it('has the records that name a record, newest first, with one statement for all records of a list', async () => {
    const [one, two, three] = [await account(member), await account(member), await account(member)]
    const pump = await visitOf(one.id, 'Pump')
    const tank = await visitOf(one.id, 'Tank')
    const hull = await visitOf(two.id, 'Hull')
    const { id: gone } = await visitOf(two.id, 'Gone')
    expect((await member.rest['customRecordDelete']!({ name: 'site_visit', id: gone } as never)).status).toBe(204)
    let found: { nodes: object[] } | undefined
    const statements = await statementsOf(
      platform,
      async () => {
        const document = `{ accountConnection(orderBy: [{ field: createdAt, direction: ASC }]) { nodes { id ${visits} } } }`
        found = (await read<{ accountConnection: { nodes: object[] } }>(member, document)).accountConnection
      },
      /record_value/,
    )
    const shown = ({ id, name }: Stored) => ({ object: 'custom:site_visit', id, name })
    expect(found!.nodes).toEqual([
      { id: one.id, referencedBy: { nodes: [shown(tank), shown(pump)], hasNextPage: false } },
      { id: two.id, referencedBy: { nodes: [shown(hull)], hasNextPage: false } },
      { id: three.id, referencedBy: { nodes: [], hasNextPage: false } },
    ])
    expect(statements).toHaveLength(1)
  })

  it('has the whole records on all levels, page by page', async () => {
    const { id } = await account(member)
    const named = await visitOf(id, 'Pump')
    const leaks = ['Leak 1', 'Leak 2', 'Leak 3']
    for (const subject of leaks) await visit(member, { subject, visit: named.id }, {}, 'finding')
    const document = `query ($id: ID!, $after: String) { customRecord(object: "site_visit", id: $id) {
      referencedBy(object: "custom:finding", field: "visit", first: 2, after: $after) { nodes { record } hasNextPage endCursor } } }`
    const page = async (after: string | null) => {
      type Read = {
        customRecord: { referencedBy: { nodes: { record: Stored }[]; hasNextPage: boolean; endCursor: string } }
      }
      const { nodes, ...rest } = (await read<Read>(member, document, { id: named.id, after })).customRecord.referencedBy
      return { ...rest, subjects: nodes.map(({ record }) => record['customFields']) }
    }
    const first = await page(null)
    expect(first).toMatchObject({
      subjects: [
        { subject: 'Leak 3', visit: named.id },
        { subject: 'Leak 2', visit: named.id },
      ],
      hasNextPage: true,
    })
    expect(await page(first.endCursor)).toMatchObject({ subjects: [{ subject: 'Leak 1' }], hasNextPage: false })
  })

  it('has records of the platform that name a record of a custom object, as far as the caller sees them', async () => {
    const { organizationId } = owner
    await object(owner, { name: 'ship' })
    const lookup = { entity: 'CONTACT', name: 'ship', fieldType: 'LOOKUP', lookupObject: 'custom:ship' }
    await field(owner, lookup)
    await settleFieldChanges(platform)
    const ship = await visit(seller, { subject: 'Nordlys' }, {}, 'ship')
    const mine = await contact(seller, { lastName: 'Dahl', customFields: { ship: ship.id } })
    const theirs = await contact(member, { lastName: 'Berg', customFields: { ship: ship.id } })
    const document = `{ customRecordList(object: "ship") { data { referencedBy(object: "contact", field: "ship") { nodes { id name record } } } } }`
    type Read = { customRecordList: { data: { referencedBy: { nodes: Stored[] } }[] } }
    const seen = async (by: Member) => (await read<Read>(by, document)).customRecordList.data[0]!.referencedBy.nodes
    expect((await seen(member)).map(({ id }) => id)).toEqual([theirs.id, mine.id])
    expect((await seen(seller)).map(({ id }) => id)).toEqual([mine.id])
    const agent = await memberWithout(platform, organizationId, { contact: ['email', 'customFields.ship'] })
    expect(await seen(agent)).toEqual([])
    const other = await memberWithout(platform, organizationId, { contact: ['email'] })
    const [shown] = await seen(other)
    expect([shown!.id, Object.hasOwn(shown!['record'] as object, 'email')]).toEqual([theirs.id, false])
  })

  it.each<['task' | 'case', (by: Member) => Promise<Stored>]>([
    ['task', (by) => task(by, { subject: 'Call' })],
    ['case', supportCase],
  ])('has the records that name a %s, as far as the caller sees them', async (type, create) => {
    const lookup = { entity: 'CONTACT', name: 'about', fieldType: 'LOOKUP', lookupEntity: type.toUpperCase() }
    await field(owner, lookup)
    const elsewhere = await anOrganization(platform)
    await field(elsewhere.owner, lookup)
    await settleFieldChanges(platform)
    const foreign = await create(elsewhere.member)
    await contact(elsewhere.member, { customFields: { about: foreign.id } })
    const [named, other] = [await create(seller), await create(seller)]
    const naming = (by: Member, lastName: string) => contact(by, { lastName, customFields: { about: named.id } })
    const mine = await naming(seller, 'Dahl')
    const theirs = await naming(member, 'Berg')
    const gone = await naming(member, 'Moe')
    expect((await member.rest['contactDelete']!({ id: gone.id })).status).toBe(204)
    const document = `{ ${type}Connection(orderBy: [{ field: createdAt, direction: ASC }]) { nodes { id
      referencedBy(object: "contact", field: "about") { nodes { object id name record } } } } }`
    type Page = { nodes: { id: string; referencedBy: { nodes: Stored[] } }[] }
    const seen = async (by: Member) => {
      const { nodes } = (await read<Record<string, Page>>(by, document))[`${type}Connection`]!
      return nodes.map(({ id, referencedBy }) => [id, referencedBy.nodes.map((one) => [one['object'], one.id])])
    }
    expect(await seen(member)).toEqual([
      [
        named.id,
        [
          ['contact', theirs.id],
          ['contact', mine.id],
        ],
      ],
      [other.id, []],
    ])
    expect(await seen(seller)).toEqual([
      [named.id, [['contact', mine.id]]],
      [other.id, []],
    ])
    const alone = `{ ${type}(id: "${named.id}") { referencedBy(object: "contact", field: "about") { nodes { name } } } }`
    const { body } = await elsewhere.member.graphql(alone)
    expect([body.data, body.errors[0].extensions.code]).toEqual([{ [type]: null }, 'NOT_FOUND'])
    expect(await read(seller, alone)).toEqual({ [type]: { referencedBy: { nodes: [{ name: 'Dahl' }] } } })
  })

  it('refuses fields that name no such records, types without their scope, and wrong pages', async () => {
    await account(member)
    const field = 'customFields.account'
    expect(await refusal(member, 'object: "custom:nothing", field: "account"')).toEqual(['VALIDATION_FAILED', field])
    expect(await refusal(member, 'object: "custom:finding", field: "account"')).toEqual(['VALIDATION_FAILED', field])
    expect(await refusal(member, 'object: "custom:finding", field: "visit"')).toEqual([
      'VALIDATION_FAILED',
      'customFields.visit',
    ])
    expect(await refusal(member, 'object: "constructor", field: "__proto__"')).toEqual([
      'VALIDATION_FAILED',
      'customFields.__proto__',
    ])
    const known = 'object: "custom:site_visit", field: "account"'
    expect(await refusal(member, `${known}, first: 101`)).toEqual(['VALIDATION_FAILED', 'first'])
    expect(await refusal(member, `${known}, after: "x"`)).toEqual(['VALIDATION_FAILED', 'after'])
    const keyed = await platform.member({ organizationId: owner.organizationId, scopes: ['READ_ACCOUNTS'] })
    expect(await refusal(keyed, known)).toEqual(['API_KEY_SCOPE_INSUFFICIENT', ['READ_CUSTOM_OBJECTS']])
  })
})

describe('the details of masters', () => {
  it('are exported to those who see the masters, and synchronized to those who see all of them', async () => {
    const [mine, theirs] = [await account(seller), await account(member)]
    const seen = await visitOf(mine.id, 'Pump', seller)
    const hidden = await visitOf(theirs.id, 'Tank')
    const exported = async (by: Member) => {
      const file = await jobs.exported(by, { object: 'custom:site_visit', contentType: 'NDJSON' })
      return file
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as Stored).id)
    }
    await platform.query('select kernel.assign_event_positions(100000)')
    const synchronized = (by: Member) => by.rest['syncSnapshot']!({ query: { objects: 'custom:site_visit' } } as never)
    const both = [seen.id, hidden.id]
    expect([await exported(seller), (await exported(member)).toSorted()]).toEqual([[seen.id], both.toSorted()])
    const copied = (await synchronized(member)).body['records'] as { id: string }[]
    expect(copied.map(({ id }) => id)).toEqual(both)
    // Whoever sees some masters only could not learn from events which details these have.
    expect(problemsOf(await synchronized(seller))).toBe('400 VALIDATION_FAILED objects.0 NOT_ALLOWED')
  })
})
