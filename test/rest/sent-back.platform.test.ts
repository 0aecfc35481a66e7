import { beforeAll, describe, expect, it } from 'vitest'
import { restContract } from '../contract-of-rest.ts'
import { account, activity, contact, lead, opportunity } from '../builders.ts'
import { refused, refusedInputs, unchanged } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import type { RawResponse } from '../requests/send.ts'
import { needsOtherParty } from '../requests/special-cases.ts'
import { Requests, type ValidRequest } from '../requests/requests.ts'

const platform = usePlatform()
let requests: Requests

const contract = restContract()
const changes = contract.operations.filter(
  ({ readOnly, id, documentId }) => readOnly && id === documentId && !needsOtherParty.has(id),
)
const readerOf = ({ path }: { path: string }) =>
  contract.operations.find((operation) => operation.path === path && operation.method === 'get')!

beforeAll(async () => {
  requests = await Requests.of(platform, await platform.member({ role: 'OWNER' }))
})

/** A record with a value in every property that a client may write, and the request that changes it. */
async function filled(operation: (typeof changes)[number]) {
  const change = await requests.valid(operation, { fresh: true, whole: true })
  await requests.send(change)
  const read = await requests.send({ ...change, operation: readerOf(operation), body: undefined })
  expect(read.status, read.text).toBe(200)
  return { change, read: read.body as Record<string, unknown> }
}

const sendBack = (change: ValidRequest, body: object): Promise<RawResponse> => requests.send({ ...change, body })

const different = (value: unknown): unknown =>
  typeof value === 'number' ? value + 1 : typeof value === 'boolean' ? !value : value === 'other' ? 'another' : 'other'

describe.each(changes.map((operation) => [operation.id, operation] as const))('%s', (_, operation) => {
  it('accepts what was read, which changes nothing', async () => {
    const { change, read } = await filled(operation)
    const { status, text, body } = await unchanged(platform, () => sendBack(change, read))
    expect(status, text).toBe(200)
    expect(body).toEqual(read)
  })

  it('refuses each read-only property that differs with 400 and its path, and changes nothing', async () => {
    const { change, read } = await filled(operation)
    const names = [...operation.readOnly!.names].filter(
      (name) => name !== 'version' && Object.hasOwn(read, name) && !operation.readOnly!.unversioned.has(name),
    )
    const other = Object.fromEntries(names.map((name) => [name, different(read[name])]))
    const answer = await unchanged(platform, () => sendBack(change, { ...required(read), ...other }))
    expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_FAILED'])
    expect(answer.body.errors.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`)).toEqual(
      names.map((name) => `${name} READ_ONLY`),
    )
    expect(names.length).toBeGreaterThan(0)
  })

  /** The required properties of a body, as they were read. */
  const required = (read: Readonly<Record<string, unknown>>): object =>
    Object.fromEntries((operation.body!.schema.required ?? []).map((name) => [name, read[name]]))
})

const line = (values: object = {}) => ({ name: 'Onboarding', quantity: 2, unitPrice: 100, taxRate: 19, ...values })

describe('read-only parts of lines', () => {
  let member: Member
  beforeAll(async () => {
    member = await platform.member()
  })
  const invoice = async () => {
    const customerId = (await account(member)).id
    const { body } = await member.rest.invoiceCreate!({
      body: { customerId, lineItems: [line(), line({ name: 'Travel' })] },
    })
    return body
  }

  it('are computed anew where a line changes, is moved or is removed', async () => {
    const { id, lineItems } = await invoice()
    const [first, second] = lineItems
    const { status, body } = await member.rest.invoiceUpdate!({ id, body: { lineItems: [{ ...second, quantity: 3 }] } })
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.lineItems).toEqual([{ ...second, quantity: 3, lineTotal: 300, taxAmount: 57, sortOrder: 0 }])
    expect(first.sortOrder).toBe(0)
  })

  it('are refused with their path where they differ, and in a new line', async () => {
    const { id, lineItems } = await invoice()
    const [first, second] = lineItems
    const { id: _id, ...copied } = second
    const sent = [{ ...first, lineTotal: 1 }, { ...second, taxAmount: '38', sortOrder: 0 }, copied]
    expect(await refusedInputs(platform, () => member.rest.invoiceUpdate!({ id, body: { lineItems: sent } }))).toEqual([
      400,
      'VALIDATION_FAILED',
      'lineItems.0.lineTotal READ_ONLY',
      'lineItems.1.taxAmount READ_ONLY',
      'lineItems.1.sortOrder READ_ONLY',
      ...['lineTotal', 'discountShare', 'taxAmount', 'sortOrder'].map((name) => `lineItems.2.${name} READ_ONLY`),
    ])
  })

  it('are refused on create', async () => {
    const { customerId, lineItems } = await invoice()
    const body = { customerId, lineItems: [lineItems[0]] }
    expect((await refusedInputs(platform, () => member.rest.invoiceCreate!({ body })))[1]).toBe('UNKNOWN_FIELD')
  })
})

describe('a record in a state that allows few changes', () => {
  it.each<[string, (member: Member) => Promise<{ operation: string; id: string }>]>([
    [
      'a sent invoice',
      async (member) => {
        const customerId = (await account(member)).id
        const { body } = await member.rest.invoiceCreate!({ body: { customerId, lineItems: [line()] } })
        await member.rest.invoiceSend!({ id: body.id, body: {} })
        return { operation: 'invoice', id: body.id }
      },
    ],
    [
      'a confirmed order',
      async (member) => {
        const accountId = (await account(member)).id
        const { body } = await member.rest.orderCreate!({ body: { accountId, lineItems: [line()] } })
        expect((await member.rest.orderConfirm!({ id: body.id })).status).toBe(200)
        return { operation: 'order', id: body.id }
      },
    ],
    [
      'a converted lead',
      async (member) => {
        const { id } = await lead(member, { company: 'Northwind' })
        expect((await member.rest.leadConvert!({ id, body: {} })).status).toBe(200)
        return { operation: 'lead', id }
      },
    ],
    [
      'a closed opportunity',
      async (member) => {
        const { id } = await opportunity(member)
        expect((await member.rest.opportunityUpdate!({ id, body: { stage: 'CLOSED_WON' } })).status).toBe(200)
        return { operation: 'opportunity', id }
      },
    ],
  ])('accepts all of %s as it was read', async (_, make) => {
    const member = await platform.member()
    const { operation, id } = await make(member)
    const { body: read } = await member.rest[operation]!({ id })
    const answer = await unchanged(platform, () => member.rest[`${operation}Update`]!({ id, body: read }))
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    expect(answer.body).toEqual(read)
  })

  it('changes what a sent invoice allows, and refuses what it freezes, with all of it sent back', async () => {
    const member = await platform.member()
    const customerId = (await account(member)).id
    const { id } = (await member.rest.invoiceCreate!({ body: { customerId, lineItems: [line()] } })).body
    await member.rest.invoiceSend!({ id, body: {} })
    const { body: read } = await member.rest.invoice!({ id })
    const frozen = () =>
      member.rest.invoiceUpdate!({ id, body: { ...read, lineItems: [{ ...read.lineItems[0], quantity: 9 }] } })
    expect(await refused(platform, frozen)).toEqual([409, 'INVALID_STATE'])
    const { status, body } = await member.rest.invoiceUpdate!({ id, body: { ...read, notes: 'Paid by card' } })
    expect([status, body.notes, body.lineItems]).toEqual([200, 'Paid by card', read.lineItems])
  })

  it('takes the lines that the new currency of a draft needs', async () => {
    const member = await platform.member()
    const { body: read } = await member.rest.orderCreate!({ body: { currency: 'EUR', lineItems: [line()] } })
    const { status, body } = await member.rest.orderUpdate!({ id: read.id, body: { ...read, currency: 'JPY' } })
    expect([status, body.currency, body.total]).toEqual([200, 'JPY', 238])
  })

  it('does not turn an automatic value into one that a user set', async () => {
    const member = await platform.member()
    const read = await lead(member, { leadScore: 80 })
    expect([read.rating, read.ratingOverridden]).toEqual(['HOT', false])
    const { body } = await member.rest.leadUpdate!({ id: read.id, body: { ...read, leadScore: 10 } })
    expect([body.rating, body.ratingOverridden]).toEqual(['COLD', false])
  })
})

describe('a body with a version', () => {
  it('is refused with 409 when the record has another version, and changes nothing', async () => {
    const member = await platform.member()
    const read = await account(member)
    await member.rest.accountUpdate!({ id: read.id, body: { name: 'Changed by another' } })
    const late = () => member.rest.accountUpdate!({ id: read.id, body: { ...read, website: 'https://late.example' } })
    const { status, body } = await unchanged(platform, late)
    expect([status, body.code, body.currentVersion]).toEqual([409, 'VERSION_CONFLICT', 2])
  })

  it('is refused with 409 when the header names another version, and changes nothing', async () => {
    const member = await platform.member()
    const read = await account(member)
    await member.rest.accountUpdate!({ id: read.id, body: { name: 'Changed by another' } })
    const late = () =>
      member.rest.accountUpdate!({
        id: read.id,
        headers: { 'If-Match': '"1"' },
        body: { ...read, website: 'https://late.example' },
      })
    const { status, body } = await unchanged(platform, late)
    expect([status, body.code]).toEqual([409, 'VERSION_CONFLICT'])
  })

  it('is accepted after a call was logged, which is no change of the record', async () => {
    const member = await platform.member()
    const read = await contact(member)
    await activity(member, { contactId: read.id, type: 'CALL' })
    const change = { id: read.id, body: { ...read, title: 'Buyer' } }
    const { status, body } = await member.rest.contactUpdate!(change)
    expect([status, body.title, body.version]).toEqual([200, 'Buyer', 2])
    expect([read.lastActivityDate, body.lastActivityDate]).toEqual([null, expect.any(String)])
  })

  it('is answered again with the same Idempotency-Key after the record was deleted', async () => {
    const member = await platform.member()
    const read = await account(member)
    const change = () =>
      member.rest.accountUpdate!({
        id: read.id,
        headers: { 'Idempotency-Key': 'deleted' },
        body: { ...read, website: 'https://new.example' },
      })
    const first = await change()
    await member.rest.accountDelete!({ id: read.id })
    const again = await unchanged(platform, change)
    expect([first.status, again.status, again.body]).toEqual([200, 200, first.body])
  })

  it('writes a text that only looks like the time that was read', async () => {
    const member = await platform.member()
    const read = await account(member, { description: '2026-03-01T10:00:00+01:00' })
    const { body } = await member.rest.accountUpdate!({
      id: read.id,
      body: { ...read, description: '2026-03-01T09:00:00Z' },
    })
    expect([body.description, body.version]).toEqual(['2026-03-01T09:00:00Z', 2])
  })

  it('is answered again with the same Idempotency-Key, as is one whose read-only values its first run changed', async () => {
    const member = await platform.member()
    const read = await account(member)
    for (const key of ['first', 'second']) {
      const current = (await member.rest.account!({ id: read.id })).body
      const body = { ...current, ...(key === 'second' && { version: undefined }), name: `Name ${key}` }
      const once = () => member.rest.accountUpdate!({ id: read.id, headers: { 'Idempotency-Key': key }, body })
      const first = await once()
      expect(first.status, JSON.stringify(first.body)).toBe(200)
      expect((await unchanged(platform, once)).body).toEqual(first.body)
    }
  })
})
