import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { account, opportunity, product } from '../builders.ts'
import { expectValidEvents, refusedInputs } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let member: Member
let accountId: string

beforeAll(async () => {
  member = await platform.member({ role: 'ADMIN' })
  accountId = (await account(member)).id
})
afterAll(() => expectValidEvents(platform))

const line = (values: object = {}) => ({ name: 'Dock Scheduling', quantity: 3, unitPrice: 99.5, ...values })
const update = (id: string, body: object) => member.rest.opportunityUpdate!({ id, body })

describe('the lines of an opportunity', () => {
  it('have amounts and ids, and their sum is the amount of the deal', async () => {
    const { id: productId } = await product(member, { sku: 'LINE-1', name: 'Yard Control', unitPrice: 420 })
    const deal = await opportunity(member, {
      accountId,
      currency: 'USD',
      lineItems: [line({ discountPercent: 10 }), { productId, quantity: 2, taxRate: 25 }],
    })
    expect(deal).toMatchObject({
      amount: 1108.65,
      expectedRevenue: 110.865,
      baseAmount: 1108.65,
      lineItems: [
        { name: 'Dock Scheduling', lineTotal: 268.65, discountShare: 0, taxAmount: 0, sortOrder: 0, productId: null },
        { name: 'Yard Control', sku: 'LINE-1', unitPrice: 420, lineTotal: 840, taxAmount: 210, sortOrder: 1 },
      ],
    })
    const ids = deal.lineItems.map(({ id }: { id: string }) => id)
    expect(new Set(ids).size).toBe(2)
  })

  it('leave an amount alone that the same request sets, or that is set later', async () => {
    const { id, amount } = await opportunity(member, { accountId, amount: 500, lineItems: [line()] })
    expect(amount).toBe(500)
    expect((await update(id, { amount: 600 })).body).toMatchObject({ amount: 600, lineItems: [{ lineTotal: 298.5 }] })
    expect((await update(id, { lineItems: [line({ quantity: 1 })] })).body).toMatchObject({ amount: 99.5 })
    expect((await update(id, { lineItems: [] })).body).toMatchObject({ amount: 99.5, lineItems: [] })
  })

  it('are required again with another currency', async () => {
    const { id, version } = await opportunity(member, { accountId, currency: 'USD', lineItems: [line()] })
    expect(await refusedInputs(platform, () => update(id, { currency: 'EUR' }))).toEqual([
      400,
      'VALIDATION_FAILED',
      'lineItems REQUIRED',
    ])
    expect((await member.rest.opportunity!({ id })).body.version).toBe(version)
    const { body } = await update(id, { currency: 'JPY', lineItems: [line({ quantity: 1.5, unitPrice: 333 })] })
    expect(body).toMatchObject({ currency: 'JPY', amount: 500, lineItems: [{ lineTotal: 500 }] })
  })

  it.each([
    [{ quantity: -1 }, 'lineItems.0.quantity', 'OUT_OF_RANGE'],
    [{ name: undefined }, 'lineItems.0.name', 'REQUIRED'],
    [{ discountAmount: 1000 }, 'lineItems.0.discountAmount', 'OUT_OF_RANGE'],
    [{ productId: '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41' }, 'lineItems.0.productId', 'UNKNOWN_REFERENCE'],
  ])('are refused with %j', async (values, path, code) => {
    const { id } = await opportunity(member, { accountId })
    expect(await refusedInputs(platform, () => update(id, { lineItems: [line(values)] }))).toEqual([
      400,
      'VALIDATION_FAILED',
      `${path} ${code}`,
    ])
  })

  it('may be changed by many requests at once, with the product read again for each attempt', async () => {
    const { id: productId } = await product(member, { sku: 'LINE-2', unitPrice: 10 })
    const { id } = await opportunity(member, { accountId, currency: 'USD' })
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => update(id, { lineItems: [{ productId, quantity: index + 1 }] })),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200))
    const { body } = await member.rest.opportunity!({ id })
    expect([body.version, body.amount]).toEqual([13, 10 * body.lineItems[0].quantity])
  })

  it('follow the primary quote', async () => {
    const { id: opportunityId } = await opportunity(member, { accountId, currency: 'USD', lineItems: [line()] })
    const body = {
      name: 'Offer',
      opportunityId,
      accountId,
      currency: 'EUR',
      isPrimary: true,
      discountType: 'PERCENT',
      discountValue: 50,
      lineItems: [line({ name: 'Label Studio', quantity: 10, unitPrice: 18 })],
    }
    expect((await member.rest.quoteCreate!({ body })).status).toBe(201)
    expect((await member.rest.opportunity!({ id: opportunityId })).body).toMatchObject({
      amount: 90,
      currency: 'EUR',
      lineItems: [{ name: 'Label Studio', quantity: 10, lineTotal: 180 }],
    })
  })
})
