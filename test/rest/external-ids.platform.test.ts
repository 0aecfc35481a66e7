import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { account, contact, lead } from '../builders.ts'
import { unchanged } from '../expectations.ts'
import { object, visit } from '../extensions/custom-objects.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'
import type { Answer } from '../rest-client.ts'

const platform = usePlatform()
let member: Member
beforeAll(async () => {
  member = await platform.member({ role: 'OWNER' })
})

let externalId: string
beforeEach(() => {
  externalId = newId()
})

const conflictOf = ({ status, body }: Answer) => [
  status,
  body.code,
  body.errors?.map(({ path, code, conflictingId }: Record<string, unknown>) => ({ path, code, conflictingId })),
]
const conflictWith = (conflictingId: unknown) => [
  409,
  'UNIQUE_VIOLATION',
  [{ path: 'externalId', code: 'NOT_UNIQUE', conflictingId }],
]

describe('externalId', () => {
  it('belongs to one live record of a type: a second one is refused on create, change and restore, and nothing changes', async () => {
    const { id } = await account(member, { externalId })
    const create = (body: object) => member.rest.accountCreate!({ body: { name: 'B', ...body } })
    expect(conflictOf((await unchanged(platform, () => create({ externalId }))) as Answer)).toEqual(conflictWith(id))
    const other = await account(member)
    const change = () => member.rest.accountUpdate!({ id: other.id, body: { externalId } })
    expect(conflictOf((await unchanged(platform, change)) as Answer)).toEqual(conflictWith(id))

    await member.rest.accountDelete!({ id })
    expect((await change()).status).toBe(200)
    const restore = () => member.rest.accountRestore!({ id })
    expect(conflictOf((await unchanged(platform, restore)) as Answer)).toEqual(conflictWith(other.id))
    await member.rest.accountUpdate!({ id: other.id, body: { externalId: null } })
    expect((await restore()).body).toMatchObject({ id, externalId })
  })

  it('is compared without the white space around it, in upper and lower case, and a blank one is none', async () => {
    const text = `Erp ${externalId}`
    const first = await account(member, { externalId: `  ${text}\t` })
    expect(first.externalId).toBe(text)
    const create = (value: string) => member.rest.accountCreate!({ body: { name: 'B', externalId: value } })
    expect(conflictOf(await create(`${text} `))).toEqual(conflictWith(first.id))
    expect((await create(text.toUpperCase())).status).toBe(201)
    for (const blank of ['', ' \n']) expect((await create(blank)).body).toMatchObject({ externalId: null })
  })

  it('may be the same in another type and in another organization', async () => {
    await account(member, { externalId })
    await contact(member, { externalId })
    await lead(member, { externalId })
    const organizationId = await platform.organization()
    await account(await platform.member({ organizationId }), { externalId })
  })

  it('does not name a record that the caller does not see', async () => {
    const { organizationId } = member
    await account(member, { externalId })
    const limited = await platform.member({ organizationId, visibility: 'OWN' })
    const refused = await limited.rest.accountCreate!({ body: { name: 'B', externalId } })
    expect(conflictOf(refused)).toEqual(conflictWith(undefined))
  })

  it('belongs to the item of a bulk change that has it first, and to one record of a custom object', async () => {
    const [one, two] = [await contact(member), await contact(member)]
    const items = [one, two].map(({ id }) => ({ id, externalId }))
    const { body } = await member.rest.contactBulkUpdate!({ body: { items } })
    expect(body).toMatchObject({ succeeded: 1, failed: 1 })
    expect(body.results.map(({ status, code }: Record<string, unknown>) => [status, code])).toContainEqual([
      'FAILED',
      'UNIQUE_VIOLATION',
    ])

    await object(member)
    await object(member, { name: 'tour' })
    const { id } = await visit(member, { subject: 'A' }, { externalId })
    await visit(member, { subject: 'B' }, { externalId }, 'tour')
    const again = { name: 'site_visit', body: { externalId, customFields: { subject: 'C' } } } as never
    expect(conflictOf(await member.rest.customRecordCreate!(again))).toEqual(conflictWith(id))
  })

  it('belongs to one of eight records that are created at once, and the others are refused', async () => {
    const bodies = Array.from({ length: 8 }, (_, index) => ({ name: `A ${index}`, externalId }))
    const answers = await Promise.all(bodies.map((body) => member.rest.accountCreate!({ body })))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, ...Array<number>(7).fill(409)])
    const { body } = await member.rest.accountList!({ query: { externalId } })
    expect([body.total, await platform.eventTypesOf(body.data[0].id)]).toEqual([1, ['account.created']])
  })

  it('lets bulk changes that write the same ones in another order wait for each other', async () => {
    const contacts = await Promise.all(Array.from({ length: 8 }, () => contact(member)))
    const values = [newId(), newId(), newId(), newId()]
    const change = (half: typeof contacts, given: string[]) =>
      member.rest.contactBulkUpdate!({
        body: { items: half.map(({ id }, index) => ({ id, externalId: given[index] })) },
      })
    const sorted = contacts.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    const answers = await Promise.all([
      change(sorted.slice(0, 4), values),
      change(sorted.slice(4), values.toReversed()),
    ])
    expect(answers.map(({ status, body }) => `${status} ${body.succeeded}`).toSorted()).toEqual(['200 0', '200 4'])
  })
})
