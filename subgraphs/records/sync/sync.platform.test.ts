import { beforeAll, describe, expect, it, vi } from 'vitest'
import { account, contact, lead, opportunity } from '../../../test/builders.ts'
import { anOrganization, field } from '../../../test/extensions/custom-fields.fixture.ts'
import { copiesOf, settleFieldChanges } from '../../../test/extensions/field-changes.fixture.ts'
import { usePlatform, type Member } from '../../../test/platform.ts'
import { assignProfile, createProfile } from '../../identity/profile/profile.actions.ts'
import { newId } from '../../kernel/ids.ts'
import { systemContext } from '../../kernel/request.ts'
import { syncedShapes } from './synced-types.ts'

const platform = usePlatform()
let member: Member

interface Synced {
  readonly object: string
  readonly id: string
  readonly version: number
  readonly record: Readonly<Record<string, unknown>>
}
interface Change extends Omit<Synced, 'record'> {
  readonly operation: 'UPSERT' | 'DELETE' | 'MERGED'
  readonly reason: string
  readonly changedAt: string
  readonly record: Readonly<Record<string, unknown>> | null
  readonly mergedIntoId: string | null
}
interface Page<T> {
  readonly records: readonly T[]
  readonly changes: readonly T[]
  readonly nextCursor: string
  readonly hasMore: boolean
  readonly schemaVersion: string
}

/** Gives the events that are committed their positions, as the relay does. */
const assignPositions = () => platform.query('select kernel.assign_event_positions(100000)')

type Query = Readonly<Record<string, string | number>>

async function page<T>(who: Member, operation: 'syncSnapshot' | 'syncChanges', query: Query): Promise<Page<T>> {
  const { status, body } = await who.rest[operation]!({ query })
  expect(status, JSON.stringify(body)).toBe(200)
  return body as Page<T>
}

async function snapshot(who: Member, query: Query = {}): Promise<{ records: Synced[]; cursor: string }> {
  await assignPositions()
  const records: Synced[] = []
  let read = await page<Synced>(who, 'syncSnapshot', query)
  records.push(...read.records)
  while (read.hasMore) {
    read = await page<Synced>(who, 'syncSnapshot', { ...query, cursor: read.nextCursor })
    records.push(...read.records)
  }
  return { records, cursor: read.nextCursor }
}

async function changes(who: Member, cursor: string, query: Query = {}): Promise<{ changes: Change[]; cursor: string }> {
  await assignPositions()
  const all: Change[] = []
  let read: Page<Change>
  let next = cursor
  do {
    read = await page<Change>(who, 'syncChanges', { ...query, cursor: next })
    all.push(...read.changes)
    next = read.nextCursor
  } while (read.hasMore)
  return { changes: all, cursor: next }
}

const shortly = (all: readonly Change[]) => all.map(({ operation, reason, id }) => [operation, reason, id])

async function refused(who: Member, operation: 'syncSnapshot' | 'syncChanges', query: Query) {
  const { status, body } = await who.rest[operation]!({ query })
  return [status, body.code, body.errors?.[0]?.path]
}

/** Processes learn of changed rights and definitions by a notice. */
const noticeMs = 10_000

const untilReset = (who: Member, cursor: string) =>
  vi.waitFor(
    async () => expect(await refused(who, 'syncChanges', { cursor })).toEqual([410, 'SYNC_RESET', undefined]),
    noticeMs,
  )

beforeAll(async () => {
  member = await platform.member({ role: 'OWNER' })
})

describe('a copy', () => {
  it('is the records at its end, however many write meanwhile', async () => {
    const owner = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
    for (let number = 0; number < 30; number++) await account(owner, { name: `Before ${number}` })
    const copy = new Map<string, unknown>()
    const writingEnds = new AbortController()
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      const own: string[] = []
      for (let number = 0; number < 25; number++) {
        const { id } = await account(owner, { name: `W${writer} ${number}` })
        own.push(id)
        if (number % 2) await owner.rest.accountUpdate!({ id, body: { name: `W${writer} ${number} again` } })
        if (number % 3 === 0) await owner.rest.accountDelete!({ id: own[number >> 1]! })
        if (number % 6 === 0) await owner.rest.accountRestore!({ id: own[number >> 1]! })
        if (number % 4 === 0) await contact(owner, { lastName: `C${writer} ${number}` })
      }
    })
    const relay = (async () => {
      while (!writingEnds.signal.aborted) await assignPositions()
    })()
    const { records, cursor: first } = await snapshot(owner, { objects: 'account,contact', limit: 7 })
    for (const { id, record } of records) copy.set(id, record)
    let cursor = first
    const apply = async () => {
      const read = await changes(owner, cursor, { limit: 11 })
      for (const { id, operation, record } of read.changes)
        if (operation === 'UPSERT') copy.set(id, record)
        else copy.delete(id)
      cursor = read.cursor
    }
    const written = Promise.all(writers).finally(() => writingEnds.abort())
    while (!writingEnds.signal.aborted) await apply()
    await written
    await relay
    await apply()
    const { records: truth } = await snapshot(owner, { objects: 'account,contact' })
    expect(truth.length).toBeGreaterThan(100)
    expect(copy).toEqual(new Map(truth.map(({ id, record }) => [id, record])))
    // What was changed before is not read again.
    expect(await changes(owner, cursor)).toEqual({ changes: [], cursor })
  })

  it('learns of each record once, as it is now, and of its deletion and return', async () => {
    const { cursor } = await snapshot(member, { objects: 'account' })
    const kept = await account(member, { name: 'Kept' })
    const gone = await account(member, { name: 'Gone' })
    await lead(member, { lastName: 'Another type' })
    await member.rest.accountUpdate!({ id: kept.id, body: { name: 'Kept twice' } })
    await member.rest.accountDelete!({ id: gone.id })
    const read = await changes(member, cursor)
    expect(read.changes).toMatchObject([
      {
        object: 'account',
        id: kept.id,
        operation: 'UPSERT',
        reason: 'CHANGED',
        version: 2,
        record: { id: kept.id, name: 'Kept twice', version: 2 },
      },
      { object: 'account', id: gone.id, operation: 'DELETE', reason: 'DELETED', version: null, record: null },
    ])
    await member.rest.accountRestore!({ id: gone.id })
    expect(shortly((await changes(member, read.cursor)).changes)).toEqual([['UPSERT', 'CHANGED', gone.id]])
  })

  it('learns of a merge with the record that stays, if the caller sees that; otherwise of a deletion', async () => {
    const organizationId = await platform.organization()
    const owner = await platform.member({ role: 'OWNER', organizationId })
    const own = await platform.member({ organizationId, visibility: 'OWN' })
    const [stays, gone] = [await account(owner), await account(owner, { ownerId: own.userId })]
    const { cursor } = await snapshot(owner, { objects: 'account' })
    const { cursor: ownCursor } = await snapshot(own, { objects: 'account' })
    await owner.rest.accountMerge!({ id: stays.id, body: { ids: [gone.id] } })
    const merged = { object: 'account', id: gone.id, version: null, record: null }
    expect((await changes(owner, cursor)).changes).toMatchObject([
      { ...merged, operation: 'MERGED', reason: 'MERGED', mergedIntoId: stays.id },
      { id: stays.id, operation: 'UPSERT', reason: 'CHANGED', version: 2, mergedIntoId: null },
    ])
    expect((await changes(own, ownCursor)).changes).toMatchObject([
      { ...merged, operation: 'DELETE', reason: 'DELETED', mergedIntoId: null },
    ])
  })

  it('has the record as its events have it', async () => {
    const { id } = await account(member, { name: 'Like its event', customFields: {} })
    const [event] = await platform.query<{ data: { record: object } }>(
      `select data from kernel.event where record_id = $1`,
      [id],
    )
    const { records } = await snapshot(member, { objects: 'account' })
    expect(records.find((one) => one.id === id)!.record).toEqual(event!.data.record)
  })

  it('of a caller who sees some records has these, and nothing tells of others', async () => {
    const { organizationId } = member
    const own = await platform.member({ organizationId, visibility: 'OWN' })
    const mine = await account(own, { name: 'Mine' })
    await account(member, { name: 'Theirs' })
    const { records, cursor } = await snapshot(own, { objects: 'account' })
    expect(records.map(({ id }) => id)).toEqual([mine.id])
    const theirs = await account(member, { name: 'Theirs too' })
    await member.rest.accountUpdate!({ id: mine.id, body: { ownerId: member.userId } })
    await member.rest.accountUpdate!({ id: mine.id, body: { name: 'No longer mine' } })
    await member.rest.accountDelete!({ id: theirs.id })
    const left = await changes(own, cursor)
    expect(shortly(left.changes)).toEqual([['DELETE', 'OUT_OF_SIGHT', mine.id]])
    await member.rest.accountDelete!({ id: mine.id })
    expect((await changes(own, left.cursor)).changes).toEqual([])
    await member.rest.accountRestore!({ id: mine.id })
    await member.rest.accountUpdate!({ id: mine.id, body: { ownerId: own.userId } })
    expect(shortly((await changes(own, left.cursor)).changes)).toEqual([['UPSERT', 'CHANGED', mine.id]])
    // What became of it out of sight is not told, though it is in the same page.
    await member.rest.accountUpdate!({ id: mine.id, body: { ownerId: member.userId } })
    for (let number = 0; number < 6; number++)
      await member.rest.accountUpdate!({ id: mine.id, body: { name: `Theirs ${number}` } })
    await member.rest.accountDelete!({ id: mine.id })
    expect(shortly((await changes(own, cursor)).changes)).toEqual([['DELETE', 'OUT_OF_SIGHT', mine.id]])
  })

  it('lacks hidden fields, and must be read again when the profile or the sight of the caller changes', async () => {
    const { organizationId } = member
    const reader = await platform.member({ organizationId, visibility: 'OWN' })
    const { id } = await contact(reader, { lastName: 'Hidden', department: 'Secret' })
    const { records, cursor } = await snapshot(reader, { objects: 'contact' })
    expect(records).toMatchObject([{ id, record: { department: 'Secret' } }])
    const ctx = systemContext(platform.services, organizationId)
    const profile = await createProfile(ctx, {
      name: `Profile ${newId()}`,
      fields: { contact: { department: 'HIDDEN' } },
    })
    await assignProfile(ctx, reader.userId, profile.id)
    await untilReset(reader, cursor)
    const again = await snapshot(reader, { objects: 'contact' })
    expect(again.records).toMatchObject([{ id, record: { name: 'Hidden' } }])
    expect(again.records[0]!.record).not.toHaveProperty('department')
    const { id: laterId } = await contact(reader, { lastName: 'Later' })
    await member.rest.contactUpdate!({ id: laterId, body: { department: 'Secret' } })
    const [later] = (await changes(reader, again.cursor)).changes
    expect(later).toMatchObject({ id: laterId, version: 2 })
    expect(later!.record).not.toHaveProperty('department')
    const mate = await platform.member({ organizationId, visibility: 'TEAM' })
    const teamed = await snapshot(mate, { objects: 'contact' })
    await platform.team(organizationId, [mate.userId, member.userId])
    await untilReset(mate, teamed.cursor)
  })

  it('is read anew where events after its cursor are gone', async () => {
    const owner = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
    await account(owner)
    const { cursor } = await snapshot(owner, { objects: 'account' })
    await account(owner)
    const later = await changes(owner, cursor)
    await account(owner)
    await assignPositions()
    await platform.query(
      `delete from kernel.event_log where organization_id = $1 and position <
         (select position from kernel.event_head where organization_id = $1)`,
      [owner.organizationId],
    )
    expect(await refused(owner, 'syncChanges', { cursor })).toEqual([410, 'CURSOR_EXPIRED', undefined])
    expect((await changes(owner, later.cursor)).changes).toHaveLength(1)
    await platform.query('delete from kernel.event_log where organization_id = $1', [owner.organizationId])
    expect(await refused(owner, 'syncChanges', { cursor: later.cursor })).toEqual([410, 'CURSOR_EXPIRED', undefined])
    const renewed = await snapshot(owner, { objects: 'account' })
    expect(renewed.records).toHaveLength(3)
    expect((await changes(owner, renewed.cursor)).changes).toEqual([])
  })

  it('of large records has smaller pages', async () => {
    const owner = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
    const { id } = await account(owner, { description: 'x'.repeat(20_000) })
    await copiesOf(platform, owner, id, 150)
    const first = await page<Synced>(owner, 'syncSnapshot', { objects: 'account', limit: 1000 })
    expect([first.records.length < 110, first.hasMore]).toEqual([true, true])
    const { records } = await snapshot(owner, { objects: 'account', limit: 1000 })
    expect([records.length, new Set(records.map((one) => one.id)).size]).toEqual([151, 151])
  })

  it('learns of the deletion of a record whose events are larger than an operation may read', async () => {
    const owner = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
    const { cursor } = await snapshot(owner, { objects: 'account' })
    const { id } = await account(owner)
    await owner.rest.accountDelete!({ id })
    await assignPositions()
    await platform.query(
      `update kernel.event set data = jsonb_set(data, '{record,description}', to_jsonb(repeat('x', 5000000)))
       where organization_id = $1 and record_id = $2`,
      [owner.organizationId, id],
    )
    expect(shortly((await changes(owner, cursor, { limit: 1 })).changes)).toEqual([['DELETE', 'DELETED', id]])
  })

  it('of records of 45 KB has pages in the snapshot and in the changes', async () => {
    const owner = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
    const { id } = await account(owner)
    await copiesOf(platform, owner, id, 260)
    await platform.query(
      `update crm.account set custom_fields = jsonb_build_object('notes', repeat('x', 45000)), created_at = created_at + interval '1 hour'
       where organization_id = $1 and id <> $2 and substr(name, 2)::int > 55`,
      [owner.organizationId, id],
    )
    await platform.query(
      `insert into kernel.event select (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid(), 'record_id', a.id))).*
       from kernel.event e, crm.account a where e.record_id = $1 and a.organization_id = $2 and a.id <> $1 order by a.created_at`,
      [id, owner.organizationId],
    )
    const { records, cursor } = await snapshot(owner, { objects: 'account', limit: 1000 })
    expect([records.length, new Set(records.map((one) => one.id)).size]).toEqual([261, 261])
    const [, , ...rest] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]
    const begin = Buffer.from(JSON.stringify([1, 0, ...rest])).toString('base64url')
    const read = await changes(owner, begin, { limit: 1000 })
    expect(new Set(read.changes.map((one) => one.id)).size).toBe(261)
    expect(read.changes.every(({ operation }) => operation === 'UPSERT')).toBe(true)
  })

  it('is read anew where any event after its cursor is gone, whichever was committed first', async () => {
    const owner = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
    const { cursor } = await snapshot(owner, { objects: 'account' })
    for (let number = 0; number < 3; number++) await account(owner)
    await assignPositions()
    await platform.query(
      `delete from kernel.event_log where organization_id = $1 and position =
         (select position - 1 from kernel.event_head where organization_id = $1)`,
      [owner.organizationId],
    )
    expect(await refused(owner, 'syncChanges', { cursor })).toEqual([410, 'CURSOR_EXPIRED', undefined])
  })

  it('of all types has a cursor for any number of custom objects, and is read anew when there is another', async () => {
    const owner = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
    const named = (name: string) => ({ name, label: name, pluralLabel: name, nameField: 'topic', fields: [topic] })
    const topic = { name: 'topic', label: 'Topic', fieldType: 'TEXT' }
    expect((await owner.rest.customObjectCreate!({ body: named('visit') })).status).toBe(201)
    await platform.query(
      `insert into extensions.custom_object select (jsonb_populate_record(o, jsonb_build_object('id', gen_random_uuid(), 'name', repeat('v', 50) || n))).*
       from extensions.custom_object o, generate_series(1, 150) n where o.organization_id = $1`,
      [owner.organizationId],
    )
    const [published] = await platform.query<{ version: string }>(
      'select kernel.publish_definitions($1)::text as version',
      [owner.organizationId],
    )
    const isKnown = async () =>
      expect((await page(owner, 'syncSnapshot', { objects: 'account' })).schemaVersion).toBe(published!.version)
    await vi.waitFor(isKnown, noticeMs)
    const { cursor } = await snapshot(owner, { limit: 1 })
    expect(cursor.length).toBeLessThan(200)
    expect((await changes(owner, cursor)).changes).toEqual([])
    expect(await refused(owner, 'syncChanges', { cursor, objects: 'account' })).toEqual([
      400,
      'VALIDATION_FAILED',
      'objects',
    ])
    expect((await owner.rest.customObjectCreate!({ body: named('walk') })).status).toBe(201)
    await untilReset(owner, cursor)
  })

  it('names the version of the definitions with which it was read', async () => {
    const owner = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
    const before = await page(owner, 'syncSnapshot', { objects: 'account' })
    // Published by a process whose notice has not arrived.
    await platform.query('insert into kernel.definition_version (organization_id, version) values ($1, 7)', [
      owner.organizationId,
    ])
    expect((await page(owner, 'syncSnapshot', { objects: 'account' })).schemaVersion).toBe(before.schemaVersion)
  })

  it('tells nobody without READ_CUSTOM_OBJECTS which custom objects there are', async () => {
    const owner = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
    const fields = [{ name: 'topic', label: 'Topic', fieldType: 'TEXT' }]
    const body = { name: 'secret_plan', label: 'Plan', pluralLabel: 'Plans', nameField: 'topic', fields }
    expect((await owner.rest.customObjectCreate!({ body })).status).toBe(201)
    const key = await platform.member({ organizationId: owner.organizationId, scopes: ['READ_ACCOUNTS'] })
    const answerOf = async (who: Member, objects: string) => {
      const { status, body: answer } = await who.rest.syncSnapshot!({ query: { objects } })
      return [status, JSON.stringify(answer)] as const
    }
    const [status, text] = await answerOf(key, 'nothing')
    expect([status, text.includes('account'), text.includes('lead'), text.includes('secret_plan')]).toEqual([
      400,
      true,
      false,
      false,
    ])
    for (const object of ['custom:secret_plan', 'custom:no_such_plan'])
      expect(await refused(key, 'syncSnapshot', { objects: object })).toEqual([
        403,
        'API_KEY_SCOPE_INSUFFICIENT',
        undefined,
      ])
    expect((await answerOf(owner, 'custom:no_such_plan'))[1]).toContain('custom:secret_plan')
  })

  it('is the same in GraphQL', async () => {
    const rest = await page<Synced>(member, 'syncSnapshot', { objects: 'account', limit: 2 })
    const { body: graph } = await member.graphql(
      `query ($objects: [String!]) {
         syncSnapshot(objects: $objects, limit: 2) { records { object id version record } nextCursor hasMore schemaVersion }
       }`,
      { objects: ['account'] },
    )
    expect(graph.data.syncSnapshot).toEqual(rest)
    const { cursor } = await snapshot(member, { objects: 'account' })
    await account(member)
    await assignPositions()
    const changed = await page<Change>(member, 'syncChanges', { cursor })
    const { body: answer } = await member.graphql(
      `query ($cursor: String!) {
         syncChanges(cursor: $cursor) {
           changes { object id operation reason version changedAt record mergedIntoId } nextCursor hasMore schemaVersion
         }
       }`,
      { cursor },
    )
    expect(answer.data.syncChanges).toEqual(changed)
    expect(changed.changes).toHaveLength(1)
  })

  it('of all types has those that the credential may read', async () => {
    const { organizationId } = member
    await lead(member)
    const all = await snapshot(member)
    expect([...new Set(all.records.map(({ object }) => object))]).toEqual(expect.arrayContaining(['account', 'lead']))
    const key = await platform.member({ organizationId, scopes: ['READ_ACCOUNTS'] })
    const { records } = await snapshot(key)
    expect([...new Set(records.map(({ object }) => object))]).toEqual(['account'])
    expect(await refused(key, 'syncSnapshot', { objects: 'account,lead' })).toEqual([
      403,
      'API_KEY_SCOPE_INSUFFICIENT',
      undefined,
    ])
    const { cursor } = await snapshot(member, { objects: 'lead' })
    const stranger = await platform.member({ organizationId: await platform.organization() })
    expect(await refused(stranger, 'syncChanges', { cursor })).toEqual([410, 'SYNC_RESET', undefined])
  })

  it('refuses what is no cursor, and other objects than those of the snapshot', async () => {
    await account(member)
    const unfinished = await page<Synced>(member, 'syncSnapshot', { objects: 'account', limit: 1 })
    const { cursor } = await snapshot(member, { objects: 'account' })
    const forged = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')
    for (const query of [
      { cursor: 'x' },
      { cursor: unfinished.nextCursor },
      { cursor: forged(1, -1, ['account'], 'x') },
      { cursor: forged(1, 1.5, ['account'], 'x') },
      { cursor: forged(1, 1, ['account', 'account'], 'x') },
      { cursor: forged(1, 1, [1], 'x') },
      { cursor: forged(1, 1, 1, 'x') },
      { cursor: forged(2, 1, ['account'], 'x') },
    ])
      expect(await refused(member, 'syncChanges', query)).toEqual([400, 'VALIDATION_FAILED', 'cursor'])
    expect(await refused(member, 'syncSnapshot', { cursor })).toEqual([400, 'VALIDATION_FAILED', 'cursor'])
    const [, position, objects, rights] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]
    expect(await refused(member, 'syncSnapshot', { cursor: forged(1, position, objects, rights, 1, null) })).toEqual([
      400,
      'VALIDATION_FAILED',
      'cursor',
    ])
    expect(await refused(member, 'syncChanges', { cursor, objects: 'account,lead' })).toEqual([
      400,
      'VALIDATION_FAILED',
      'objects',
    ])
    expect(await refused(member, 'syncSnapshot', { objects: 'account,webhook' })).toEqual([
      400,
      'VALIDATION_FAILED',
      'objects.1',
    ])
    expect(await refused(member, 'syncChanges', { cursor: forged(1, 1, ['nothing'], 'x') })).toEqual([
      410,
      'SYNC_RESET',
      undefined,
    ])
  })
})

describe('values that follow from other records', () => {
  it('are in records as at the read, and a copy that reads the parents of changed children by their ids has them all', async () => {
    const { owner, member: by } = await anOrganization(platform)
    const deals = { childObject: 'OPPORTUNITY', relationField: 'accountId', aggregate: 'COUNT' }
    await field(owner, { name: 'deals', fieldType: 'ROLLUP_SUMMARY', rollupConfig: deals })
    await settleFieldChanges(platform)
    const [one, two] = [(await account(by)).id as string, (await account(by)).id as string]
    const { id: deal } = await opportunity(by, { accountId: one })
    const { records, cursor } = await snapshot(by, { objects: 'account,opportunity' })
    const dealsOf = (all: readonly { id: string; record: object | null }[]) =>
      Object.fromEntries(
        all.flatMap(({ id, record }) => {
          const { customFields } = record as { customFields: { deals?: number } }
          return [one, two].includes(id) ? [[id, customFields.deals]] : []
        }),
      )
    expect(dealsOf(records)).toEqual({ [one]: 1, [two]: 0 })
    expect((await by.rest.opportunityUpdate!({ id: deal, body: { accountId: two } })).status).toBe(200)
    const { id: second } = await opportunity(by, { accountId: two })
    const changed = await changes(by, cursor)
    expect(shortly(changed.changes)).toEqual([
      ['UPSERT', 'CHANGED', deal],
      ['UPSERT', 'CHANGED', second],
    ])
    const copied = new Map(records.map(({ id, record }) => [id, record]))
    const parentOf = (record: object | null | undefined) => (record as { accountId?: string } | null)?.accountId ?? []
    const parents = changed.changes.flatMap(({ id, record }) => [parentOf(copied.get(id)), parentOf(record)].flat())
    const ids = [...new Set(parents)]
    expect(ids).toEqual([one, two])
    const { body } = await by.rest.accountList!({ query: { ids: ids.join(), fields: 'customFields' } })
    const read = body.data as { id: string; customFields: object }[]
    expect(dealsOf(read.map(({ id, customFields }) => ({ id, record: { customFields } })))).toEqual({
      [one]: 0,
      [two]: 2,
    })
  })
})

it('the synced types have their own visibility', () => {
  const synced = syncedShapes(null)
  expect(synced.map(({ object }) => object)).toEqual(
    expect.arrayContaining(['account', 'contact', 'lead', 'opportunity', 'case', 'invoice', 'activity', 'task']),
  )
})
