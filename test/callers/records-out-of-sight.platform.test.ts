import { beforeAll, expect, it } from 'vitest'
import { account, aLine, contact, opportunity, quote } from '../builders.ts'
import { refusedInputs } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let admin: Member
let own: Member

beforeAll(async () => {
  admin = await platform.member({ role: 'ADMIN' })
  own = await platform.member({ visibility: 'OWN' })
})

it('changes no opportunity out of sight through its primary quote', async () => {
  const deal = await opportunity(admin, { amount: 7 })
  const lineItems = [aLine()]
  const [primary, other] = [
    await quote(admin, { opportunityId: deal.id, ownerId: own.userId, lineItems }),
    await quote(admin, { opportunityId: deal.id, ownerId: own.userId, lineItems }),
  ]
  expect((await admin.rest.quoteUpdate!({ id: primary.id, body: { isPrimary: true } })).status).toBe(200)
  expect((await own.rest.opportunity!({ id: deal.id })).status).toBe(404)
  const changed = { lineItems: [aLine({ unitPrice: 900 })] }
  const change = (id: string, body: object) => () => own.rest.quoteUpdate!({ id, body })
  for (const call of [change(primary.id, changed), change(other.id, { isPrimary: true })])
    expect(await refusedInputs(platform, call)).toEqual([400, 'VALIDATION_FAILED', 'opportunityId NOT_ALLOWED'])
  expect((await admin.rest.opportunity!({ id: deal.id })).body.amount).toBe(100)
  // Neither the quote that is not primary nor the quote of a deleted opportunity changes another record.
  expect((await change(other.id, changed)()).status).toBe(200)
  await admin.rest.opportunityDelete!({ id: deal.id })
  expect((await change(primary.id, { ...changed, notes: 'x' })()).status).toBe(200)
})

it('makes no contact the primary one of an account out of sight', async () => {
  const { id: accountId } = await account(admin)
  const former = await contact(admin, { accountId, isPrimary: true })
  const mine = await contact(admin, { accountId, ownerId: own.userId })
  const call = (by: Member) => by.rest.contactUpdate!({ id: mine.id, body: { isPrimary: true } })
  expect(await refusedInputs(platform, () => call(own))).toEqual([400, 'VALIDATION_FAILED', 'isPrimary NOT_ALLOWED'])
  expect((await call(admin)).status).toBe(200)
  expect((await admin.rest.contact!({ id: former.id })).body.isPrimary).toBe(false)
})
