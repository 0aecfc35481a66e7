import { beforeEach, describe, expect, it, vi } from 'vitest'
import { account, contact, lead, opportunity } from '../../../test/builders.ts'
import { anOrganization, field, problemsOf } from '../../../test/extensions/custom-fields.fixture.ts'
import { object, visit } from '../../../test/extensions/custom-objects.fixture.ts'
import { rollup } from '../../../test/extensions/rollups.fixture.ts'
import { usePlatform, type Member } from '../../../test/platform.ts'
import type { Answer } from '../../../test/rest-client.ts'
import { statementsOf } from '../../../test/statements.ts'
import { assignProfile, createProfile } from '../../identity/profile/profile.actions.ts'
import { newId } from '../../kernel/ids.ts'
import { systemContext } from '../../kernel/request.ts'
import { randomChanges } from './history.fixture.ts'

const platform = usePlatform()
let owner: Member
let member: Member

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly { readonly name?: string; readonly $ref?: string }[]
}

type Fields = Readonly<Record<string, unknown>>

/** Gives the events that are committed their positions, as the relay does. */
const assignPositions = () => platform.query('select kernel.assign_event_positions(100000)')

/** The time now; what follows is later. */
function moment(): string {
  const time = platform.now.toISOString()
  platform.advanceClock(1000)
  return time
}

async function ok(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, body } = await answer
  expect(status, JSON.stringify(body)).toBeLessThan(300)
  return body
}

const read = (by: Member, id: string, query: Fields = {}, operation = 'account') =>
  by.rest[operation]!({ id, query } as never)
const list = (by: Member, query: Fields = {}, operation = 'accountList') =>
  ok(by.rest[operation]!({ query } as never)) as Promise<{ data: Fields[]; total: number; nextCursor: string | null }>
const change = (by: Member, id: string, body: object) => ok(by.rest['accountUpdate']!({ id, body } as never))
const remove = (by: Member, id: string) => ok(by.rest['accountDelete']!({ id } as never))

beforeEach(async () => {
  ;({ owner, member } = await anOrganization(platform))
  platform.advanceClock(1000)
})

describe('a read with asOf', () => {
  it('gives the record as it was, also before a deletion and after a restore, and 404 where there was none', async () => {
    const before = moment()
    const one = await account(member, { name: 'One', industry: 'SHIPPING', tags: ['a'], metadata: { x: [1, null] } })
    const created = moment()
    const changed = await change(member, one.id, { name: 'Two', industry: null, tags: ['b', 'c'] })
    const later = moment()
    await remove(member, one.id)
    const deleted = moment()
    const restored = await ok(member.rest['accountRestore']!({ id: one.id } as never))
    const states = async () => {
      const answers = []
      for (const asOf of [before, created, later, deleted, platform.now.toISOString()])
        answers.push(await read(member, one.id, { asOf }))
      return answers.map(({ status, body }) => (status === 200 ? body : status))
    }
    expect(await states()).toEqual([404, one, changed, 404, restored])
    await assignPositions()
    expect(await states()).toEqual([404, one, changed, 404, restored])
    expect((await read(member, one.id, { asOf: created })).headers.get('etag')).toBe('"1"')
  })

  it('reads a record that is deleted now, of those that the caller sees now', async () => {
    const mine = await platform.member({ organizationId: owner.organizationId, visibility: 'OWN' })
    const one = await account(mine, { name: 'Mine' })
    const created = moment()
    await change(member, one.id, { ownerId: member.userId })
    const theirs = moment()
    const seen = async (by: Member, asOf: string) => (await read(by, one.id, { asOf })).status
    expect([await seen(mine, created), await seen(member, created)]).toEqual([404, 200])
    await change(member, one.id, { ownerId: mine.userId })
    await remove(mine, one.id)
    moment()
    expect([await seen(mine, theirs), await seen(mine, created)]).toEqual([200, 200])
    expect((await list(mine, { asOf: theirs })).data).toMatchObject([{ id: one.id, ownerId: member.userId }])
    const stranger = await platform.member({ organizationId: await platform.organization() })
    expect(await seen(stranger, created)).toBe(404)
    expect((await list(stranger, { asOf: created })).data).toEqual([])
  })

  it('has null in place of values that change without events, and computes formulas of the values of that time', async () => {
    await field(owner, { name: 'seats', fieldType: 'NUMBER', isIndexed: true })
    await field(owner, {
      name: 'price',
      fieldType: 'FORMULA',
      formulaConfig: { expression: 'customFields.seats * 10', returnType: 'NUMBER' },
    })
    await field(owner, rollup('deals', { aggregate: 'COUNT' }))
    await platform.services.shapes.load(owner.organizationId)
    const one = await account(member, { customFields: { seats: 3 } })
    await opportunity(member, { accountId: one.id })
    const asOf = moment()
    await change(member, one.id, { customFields: { seats: 5 } })
    moment()
    const expected = { customFields: { seats: 3, price: 30 }, lastActivityDate: null }
    const past = (await read(member, one.id, { asOf })).body
    expect(past).toMatchObject(expected)
    expect(past.customFields).toEqual(expected.customFields)
    expect((await read(member, one.id)).body.customFields).toEqual({ seats: 5, price: 50, deals: 1 })
    const filtered = (filter: object, orderBy = '') =>
      ok(
        member.graphql(
          `query($filter: AccountFilter, $asOf: DateTime) { accountList(asOf: $asOf, filter: $filter ${orderBy}) { data { customFields } } }`,
          { filter, asOf },
        ),
      )
    const bySeats = { data: { accountList: { data: [{ customFields: { seats: 3, price: 30 } }] } } }
    const none = { data: { accountList: { data: [] } } }
    expect(await filtered({ customFields: { seats: { lt: 4 } } }, ', orderBy: [{ customField: "price" }]')).toEqual(
      bySeats,
    )
    expect(await filtered({ customFields: { seats: { gt: 4 } } })).toEqual(none)
    expect(await filtered({ customFields: { deals: { gte: 0 } } })).toEqual(none)
  })

  it('hides the fields that the profile hides now, and refuses to filter and sort by them', async () => {
    const reader = await platform.member({ organizationId: owner.organizationId })
    const one = await contact(member, { department: 'Secret', title: 'Buyer' })
    const asOf = moment()
    await ok(member.rest['contactUpdate']!({ id: one.id, body: { department: 'Other' } } as never))
    const ctx = systemContext(platform.services, owner.organizationId)
    const profile = await createProfile(ctx, {
      name: `P ${newId()}`,
      fields: { contact: { department: 'HIDDEN', email: 'HIDDEN' } },
    })
    await assignProfile(ctx, reader.userId, profile.id)
    await vi.waitFor(async () => expect((await read(reader, one.id, {}, 'contact')).body.department).toBeUndefined())
    const past = (await read(reader, one.id, { asOf }, 'contact')).body
    expect(past).toMatchObject({ title: 'Buyer', version: 1 })
    expect(past.department ?? null).toBeNull()
    const document = (args: string) => `{ contactList(asOf: "${asOf}", ${args}) { data { id } } }`
    for (const args of ['filter: { department: { eq: "Secret" } }', 'orderBy: [{ field: email }]']) {
      const { body } = await reader.graphql(document(args))
      expect(body.errors[0].extensions.code).toBe('FIELD_NOT_READABLE')
    }
    const { data } = await ok(reader.rest['contactHistory']!({ id: one.id } as never))
    expect(data.map(({ changes }: { changes: Fields[] }) => changes.map((entry) => entry['field']))).toEqual([
      [],
      expect.not.arrayContaining(['department']),
    ])
    const { changes } = await ok(reader.rest['contactDiff']!({ id: one.id, query: { from: asOf } } as never))
    expect(changes).toEqual([])
  })

  it('refuses a time in the future, and one whose events are not kept', async () => {
    const { id } = await account(member)
    const soon = new Date(platform.now.getTime() + 1).toISOString()
    for (const answer of [
      await read(member, id, { asOf: soon }),
      await member.rest['accountList']!({ query: { asOf: soon } } as never),
    ])
      expect(problemsOf(answer)).toBe('400 VALIDATION_FAILED asOf OUT_OF_RANGE')
    const long = '2026-10-01T00:00:00.000Z'
    // Everything is kept, so the organization had no account then.
    expect((await read(member, id, { asOf: long })).status).toBe(404)
    await assignPositions()
    await platform.query('delete from kernel.event_log where organization_id = $1 and position = 1', [
      owner.organizationId,
    ])
    const oldest = '2027-01-01T00:00:00.000Z'
    for (const answer of [
      await read(member, id, { asOf: long }),
      await member.rest['accountList']!({ query: { asOf: long } } as never),
    ]) {
      expect(problemsOf(answer)).toBe('400 HISTORY_NOT_KEPT asOf HISTORY_NOT_KEPT')
      expect(answer.body.oldest).toBe(oldest)
    }
    expect((await list(member, { asOf: oldest })).data).toEqual([])
  })

  it('filters, searches, sorts and pages by the values of that time', async () => {
    const names = ['Delta', 'Alpha', 'Echo', 'Bravo', 'Charlie']
    const ids: string[] = []
    for (const name of names) {
      ids.push((await account(member, { name, industry: name < 'D' ? 'SHIPPING' : null })).id)
      moment()
    }
    const asOf = moment()
    await change(member, ids[1]!, { name: 'Zulu', industry: null })
    await remove(member, ids[3]!)
    await account(member, { name: 'Aaron', industry: 'SHIPPING' })
    moment()
    const named = async (query: Fields) => (await list(member, { asOf, ...query })).data.map(({ name }) => name)
    expect(await named({})).toEqual(names.toReversed())
    expect(await named({ sortBy: 'name', sortOrder: 'ASC' })).toEqual(['Alpha', 'Bravo', 'Charlie', 'Delta', 'Echo'])
    expect(await named({ industry: 'SHIPPING', sortBy: 'name', sortOrder: 'ASC' })).toEqual([
      'Alpha',
      'Bravo',
      'Charlie',
    ])
    expect(await named({ search: 'lph' })).toEqual(['Alpha'])
    expect(await named({ search: 'zul' })).toEqual([])
    expect((await list(member, { asOf, industry: 'SHIPPING' })).total).toBe(3)
    const paged: unknown[] = []
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<typeof list>> = await list(member, {
        asOf,
        sortBy: 'name',
        limit: 2,
        ...(cursor && { cursor }),
      })
      paged.push(...page.data.map(({ name }) => name))
      cursor = page.nextCursor
    } while (cursor)
    expect(paged).toEqual(['Echo', 'Delta', 'Charlie', 'Bravo', 'Alpha'])
    expect(await named({ sortBy: 'name', limit: 2, page: 2 })).toEqual(['Charlie', 'Bravo'])
    const connection = await ok(
      member.graphql(
        `{ accountConnection(asOf: "${asOf}", first: 2, orderBy: [{ field: name }]) { totalCount nodes { name } pageInfo { hasNextPage } } }`,
      ),
    )
    expect(connection.data.accountConnection).toEqual({
      totalCount: 5,
      nodes: [{ name: 'Echo' }, { name: 'Delta' }],
      pageInfo: { hasNextPage: true },
    })
  })

  it('is refused when more than 100,000 records have changed since, and names the bound', async () => {
    const { id } = await account(member, { name: 'First' })
    const before = moment()
    await change(member, id, { name: 'Second' })
    await assignPositions()
    // As many events as other records would have; only their places in the log are read.
    const others = (count: number) =>
      platform.query(
        `insert into kernel.event_log (organization_id, position, event_id, occurred_at, object, record_id)
         select l.organization_id, last.position + n, l.event_id, l.occurred_at, l.object, gen_random_uuid()
         from (select * from kernel.event_log where organization_id = $1 and record_id = $2 order by position desc limit 1) l,
           (select max(position) as position from kernel.event_log where organization_id = $1) last, generate_series(1, $3::int) n`,
        [owner.organizationId, id, count],
      )
    await others(99_999)
    expect((await list(member, { asOf: before })).data).toMatchObject([{ id, name: 'First' }])
    await others(1)
    const found = async (query: Fields) => {
      const answer = await member.rest['accountList']!({ query: { asOf: before, ...query } } as never)
      return [problemsOf(answer), answer.body.errors?.[0]?.message]
    }
    const refused = [
      '400 VALIDATION_FAILED asOf TOO_MANY',
      'More than 100000 records have changed since asOf; ask for a later time.',
    ]
    expect(await found({})).toEqual(refused)
    expect(await found({ search: 'nothing has this' })).toEqual(refused)
    const after = moment()
    expect((await list(member, { asOf: after })).data).toMatchObject([{ id, name: 'Second' }])
  })

  it('gives records of custom objects as they were', async () => {
    await object(owner)
    await platform.services.shapes.load(owner.organizationId)
    const one = await visit(member, { subject: 'Pump', hours: 2 })
    const asOf = moment()
    const body = { customFields: { hours: 5 } }
    await ok(member.rest['customRecordUpdate']!({ name: 'site_visit', id: one.id, body } as never))
    await ok(member.rest['customRecordDelete']!({ name: 'site_visit', id: one.id } as never))
    const last = moment()
    const past = await member.rest['customRecord']!({ name: 'site_visit', id: one.id, query: { asOf } } as never)
    expect(past.body).toEqual(one)
    const listed = await member.rest['customRecordList']!({ name: 'site_visit', query: { asOf } } as never)
    expect(listed.body.data).toEqual([one])
    const history = await ok(member.rest['customRecordHistory']!({ name: 'site_visit', id: one.id } as never))
    expect(history.data).toMatchObject([
      { version: 3, operation: 'DELETE', changes: [{ field: 'deletedAt', previousValue: null }] },
      { version: 2, operation: 'UPDATE', changes: [{ field: 'customFields.hours', previousValue: 2, value: 5 }] },
      { version: 1, operation: 'CREATE' },
    ])
    const query = { from: asOf, to: last }
    const diff = await ok(member.rest['customRecordDiff']!({ name: 'site_visit', id: one.id, query } as never))
    expect(diff).toMatchObject({ fromVersion: 1, toVersion: null })
    const unknown = await member.rest['customRecordHistory']!({ name: 'no_object', id: one.id } as never)
    expect(unknown.status).toBe(404)
  })

  it('is what was read at that time, for random changes of many records', async () => {
    await field(owner, { name: 'code' })
    await platform.services.shapes.load(owner.organizationId)
    const random = randomChanges(20270201)
    const live = new Set<string>()
    const gone = new Set<string>()
    const all = async (query: Fields) => {
      const { data } = await list(member, { limit: 100, sortBy: 'name', sortOrder: 'ASC', ...query })
      return data
    }
    const snapshots: { at: string; records: Fields[]; filtered: Fields[] }[] = []
    for (let step = 0; step < 160; step += 1) {
      const kind = live.size === 0 ? 'create' : random.kind()
      const id = random.of([...live])
      if (kind === 'create') live.add((await account(member, random.values())).id)
      if (kind === 'update') await change(random.of([member, owner]), id!, random.values())
      if (kind === 'delete') {
        await remove(member, id!)
        live.delete(id!)
        gone.add(id!)
      }
      const back = random.of([...gone])
      if (kind === 'restore' && back) {
        await ok(member.rest['accountRestore']!({ id: back } as never))
        gone.delete(back)
        live.add(back)
      }
      if (random.chance(0.2)) await assignPositions()
      if (random.chance(0.25))
        snapshots.push({ at: moment(), records: await all({}), filtered: await all({ industry: 'SHIPPING' }) })
      else if (random.chance(0.7)) moment()
    }
    moment()
    expect(snapshots.length).toBeGreaterThan(20)
    for (const { at: asOf, records, filtered } of snapshots) {
      expect(await all({ asOf })).toEqual(records)
      expect(await all({ asOf, industry: 'SHIPPING' })).toEqual(filtered)
      for (const id of [random.of([...live]), random.of([...gone])]) {
        if (!id) continue
        const { status, body } = await read(member, id, { asOf })
        expect(status === 200 ? body : undefined).toEqual(records.find((record) => record['id'] === id))
      }
    }
  }, 240_000)

  it('takes the state before the first event after the time, by position, whatever the clock of another server says', async () => {
    const one = await account(member, { name: 'One' })
    const asOf = moment()
    await change(member, one.id, { name: 'Two' })
    // Another server, whose clock is behind.
    platform.advanceClock(-5000)
    await change(member, one.id, { name: 'Three' })
    platform.advanceClock(10_000)
    await assignPositions()
    expect((await read(member, one.id, { asOf })).body.name).toBe('One')
  })
})

describe('the history of a record', () => {
  it('has each version with its change, who made it, and old and new values', async () => {
    const one = await lead(member, { company: 'Nordlys', customFields: { tier: 'SILVER' } })
    const created = moment()
    await ok(
      owner.rest['leadUpdate']!({ id: one.id, body: { company: null, customFields: { tier: 'GOLD', x: 1 } } } as never),
    )
    const changed = moment()
    await ok(member.rest['leadDelete']!({ id: one.id } as never))
    const deleted = moment()
    const history = () => ok(member.rest['leadHistory']!({ id: one.id } as never))
    const { data, hasMore, nextCursor } = await history()
    expect({ hasMore, nextCursor }).toEqual({ hasMore: false, nextCursor: null })
    expect(data).toMatchObject([
      {
        version: 3,
        operation: 'DELETE',
        events: ['lead.deleted'],
        changedAt: deleted,
        changedById: member.userId,
        changes: [{ field: 'deletedAt', previousValue: null, value: deleted }],
      },
      { version: 2, operation: 'UPDATE', events: ['lead.updated'], changedAt: changed, changedById: owner.userId },
      { version: 1, operation: 'CREATE', events: ['lead.created'], changedAt: created, changedById: member.userId },
    ])
    expect(data[1].changes).toEqual([
      { field: 'customFields.tier', previousValue: 'SILVER', value: 'GOLD' },
      { field: 'customFields.x', previousValue: null, value: 1 },
      { field: 'company', previousValue: 'Nordlys', value: null },
    ])
    const first = data[2].changes as Fields[]
    expect(first).toContainEqual({ field: 'lastName', previousValue: null, value: 'Lindqvist' })
    expect(first).toContainEqual({ field: 'customFields.tier', previousValue: null, value: 'SILVER' })
    await assignPositions()
    expect((await history()).data).toEqual(data)
  })

  it('has pages, each version once, with further events at a version', async () => {
    const { id: accountId } = await account(member)
    const deal = await opportunity(member, { accountId })
    for (const stage of ['QUALIFICATION', 'PROPOSAL', 'CLOSED_WON', 'NEGOTIATION'])
      await ok(member.rest['opportunityUpdate']!({ id: deal.id, body: { stage } } as never))
    const whole = (await ok(member.rest['opportunityHistory']!({ id: deal.id, query: { limit: 100 } } as never))).data
    expect(whole.map(({ version }: Fields) => version)).toEqual([5, 4, 3, 2, 1])
    expect(whole[1].events).toEqual(
      expect.arrayContaining(['opportunity.updated', 'opportunity.stage_changed', 'opportunity.won']),
    )
    const paged: unknown[] = []
    let cursor: string | null = null
    do {
      const query: Fields = { limit: 2, ...(cursor && { cursor }) }
      const page = await ok(member.rest['opportunityHistory']!({ id: deal.id, query } as never))
      paged.push(...page.data)
      cursor = page.nextCursor
      await assignPositions()
    } while (cursor)
    expect(paged).toEqual(whole)
  })

  it('goes on after a page whose events got their positions since', async () => {
    const { id } = await account(member)
    for (let number = 2; number <= 65; number++) await change(member, id, { name: `Name ${number}` })
    const page = (query: Fields) => ok(member.rest['accountHistory']!({ id, query } as never))
    const first = await page({ limit: 62 })
    expect([first.data.at(-1).version, first.hasMore]).toEqual([4, true])
    await assignPositions()
    const { data, hasMore } = await page({ cursor: first.nextCursor })
    expect([data.map(({ version }: Fields) => version), hasMore]).toEqual([[3, 2, 1], false])
  })

  it('reads a bounded part of it for a cursor that no page has', async () => {
    const { id } = await account(member)
    await change(member, id, { name: 'Other' })
    await assignPositions()
    // As if the record had been changed very often.
    await platform.query(
      `insert into kernel.event_log (organization_id, position, event_id, occurred_at, object, record_id, operation_id)
       select organization_id, position + number, event_id, occurred_at, object, record_id, operation_id
       from (select * from kernel.event_log where record_id = $1 order by position desc limit 1) l, generate_series(1, 5000) number`,
      [id],
    )
    let answer: Answer | null = null
    const query = { cursor: '9223372036854775807-1' }
    const ask = async () => void (answer = await member.rest['accountHistory']!({ id, query } as never))
    const statements = await statementsOf(platform, ask, /with logged as/)
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: 'cursor', code: 'OUT_OF_RANGE' }] } })
    expect(statements.length).toBeLessThanOrEqual(18)
    await platform.query(
      `delete from kernel.event_log l where record_id = $1
       and exists (select from kernel.event_log o where o.event_id = l.event_id and o.position < l.position)`,
      [id],
    )
  })

  it('is refused for a record that the caller does not see, and with a cursor of nothing', async () => {
    const one = await account(member)
    const own = await platform.member({ organizationId: owner.organizationId, visibility: 'OWN' })
    const stranger = await platform.member({ organizationId: await platform.organization() })
    for (const by of [own, stranger]) {
      expect((await by.rest['accountHistory']!({ id: one.id } as never)).status).toBe(404)
      const query = { from: moment() }
      expect((await by.rest['accountDiff']!({ id: one.id, query } as never)).status).toBe(404)
    }
    for (const cursor of ['x', '1-99999999999', '99999999999999999999-1']) {
      const answer = await member.rest['accountHistory']!({ id: one.id, query: { cursor } } as never)
      expect(answer.status).toBe(400)
    }
  })

  it('exists for every record type that is read with asOf', () => {
    const { paths } = platform.contract.document as { paths: Record<string, Record<string, unknown>> }
    const operations = Object.values(paths).flatMap((path) => Object.values(path) as Operation[])
    const named = new Set(operations.map(({ operationId }) => operationId))
    const withTime = operations
      .filter(({ parameters }) => parameters?.some(({ name, $ref }) => name === 'asOf' || $ref?.endsWith('/asOf')))
      .flatMap(({ operationId }) => (named.has(`${operationId}List`) ? [operationId] : []))
    expect(withTime).toEqual(expect.arrayContaining(['account', 'case', 'creditNote', 'lead']))
    expect(withTime.filter((name) => !named.has(`${name}History`))).toEqual([])
  })
})

describe('the difference between two times', () => {
  it('has the fields whose values differ, whatever happened between', async () => {
    const before = moment()
    const one = await account(member, { name: 'One', customFields: { a: 1 } })
    const first = moment()
    await change(member, one.id, { name: 'Two', industry: 'SHIPPING' })
    moment()
    await change(member, one.id, { name: 'Three', customFields: { a: null } })
    const last = moment()
    await change(member, one.id, { name: 'One', industry: null, customFields: { a: 1 } })
    moment()
    const diff = (query: Fields) => member.rest['accountDiff']!({ id: one.id, query } as never)
    expect((await diff({ from: first, to: last })).body).toEqual({
      from: first,
      to: last,
      fromVersion: 1,
      toVersion: 3,
      changes: expect.arrayContaining([
        { field: 'name', previousValue: 'One', value: 'Three' },
        { field: 'industry', previousValue: null, value: 'SHIPPING' },
        { field: 'customFields.a', previousValue: 1, value: null },
      ]),
    })
    expect((await diff({ from: first })).body).toMatchObject({ fromVersion: 1, toVersion: 4, changes: [] })
    const fromNothing = (await diff({ from: before, to: first })).body
    expect(fromNothing).toMatchObject({ fromVersion: null, toVersion: 1 })
    expect(fromNothing.changes).toContainEqual({ field: 'name', previousValue: null, value: 'One' })
    expect((await diff({ from: before, to: before })).status).toBe(404)
    expect(problemsOf(await diff({ from: last, to: first }))).toBe('400 VALIDATION_FAILED from OUT_OF_RANGE')
    const soon = new Date(platform.now.getTime() + 1).toISOString()
    expect(problemsOf(await diff({ from: first, to: soon }))).toBe('400 VALIDATION_FAILED to OUT_OF_RANGE')
  })
})
