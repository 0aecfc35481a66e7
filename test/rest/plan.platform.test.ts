import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setEntitlements } from '../../subgraphs/identity/public.ts'
import { product as products } from '../../subgraphs/commerce/product/product.record.ts'
import { supportCase as cases } from '../../subgraphs/support/case/case.record.ts'
import { pastShape } from '../../subgraphs/kernel/record/past/past-shape.ts'
import { account, supportCase } from '../builders.ts'
import { unchanged } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import { operate } from '../processes.ts'
import type { Answer } from '../rest-client.ts'

const platform = usePlatform()
let entitled: Member
let without: Member
let about: { id: string; caseId: string }

/** No resource needs an entitlement yet, so the definitions of two resources get one in this platform. */
beforeAll(async () => {
  // The shape of past states is made once from the definition, perhaps for a test before.
  for (const definition of [cases, pastShape(cases)]) Object.assign(definition, { entitlement: 'service-desk' })
  Object.assign(products, { entitlement: 'catalog' })
  entitled = await platform.member()
  without = await platform.member({ organizationId: await platform.organization('Other'), role: 'OWNER' })
  await setEntitlements(platform.services, entitled.organizationId, ['service-desk', 'catalog'])
  const { organizationId } = without
  await setEntitlements(platform.services, organizationId, ['service-desk'])
  const { id } = await account(without, { name: 'Northwind' })
  const { id: caseId } = await supportCase(without, { accountId: id })
  about = { id: String(id), caseId: String(caseId) }
  await setEntitlements(platform.services, organizationId, ['forecasts'])
})
afterAll(() => {
  for (const definition of [cases, pastShape(cases), products]) Object.assign(definition, { entitlement: undefined })
})

const outcome = ({ status, body }: Answer) => [status, body.code, body.requiredEntitlement]

describe('a resource that the plan does not include', () => {
  const operations: [string, object][] = [
    ['caseList', {}],
    ['caseList', { query: { includeTotal: 'false' } }],
    ['caseListDeleted', {}],
    ['caseStats', {}],
    ['caseAggregate', { query: { groupBy: 'status' } }],
    ['caseAssignees', {}],
    ['caseCreate', { body: { subject: 'x' } }],
    ['case', {}],
    ['caseUpdate', { body: { subject: 'x' } }],
    ['caseDelete', {}],
    ['caseRestore', {}],
    ['caseAssign', { body: { assignedToId: null } }],
    ['caseSetStatus', { body: { status: 'OPEN' } }],
    ['caseSummarize', {}],
    ['caseCommentList', {}],
    ['caseCommentCreate', { body: { body: 'x' } }],
    ['caseTimeline', {}],
    ['caseHistory', {}],
    ['caseDiff', { query: { from: '2026-11-01T08:00:00.000Z' } }],
    ['caseByKey', { field: 'externalId', value: 'x' }],
    ['caseUpsert', { field: 'externalId', value: 'x', body: { subject: 'x' } }],
    ['caseBulkUpsert', { body: { items: [{ externalId: 'x', subject: 'x' }] } }],
  ]

  it('has every operation of the resource in this list', () => {
    const ids = platform.contract.operations.filter(({ path }) => path.startsWith('/v1/cases')).map(({ id }) => id)
    expect(new Set(operations.map(([id]) => id))).toEqual(new Set(ids))
  })

  it.each(operations)('answers 402 to %s with its name, and changes nothing', async (operation, call) => {
    const answer = await unchanged(platform, () => without.rest[operation]!({ id: about.caseId, ...call }))
    expect(outcome(answer)).toEqual([402, 'ENTITLEMENT_REQUIRED', 'service-desk'])
  })

  it('is the same error in GraphQL, with the rest of the data', async () => {
    const { status, body } = await without.graphql(
      `query($id: ID!) { account(id: $id) { name cases { totalCount } } caseList { total } }`,
      { id: about.id },
    )
    expect([status, body.data]).toEqual([200, null])
    expect(body.errors[0].extensions).toMatchObject({
      code: 'ENTITLEMENT_REQUIRED',
      requiredEntitlement: 'service-desk',
    })
    const alone = await without.graphql('query($id: ID!) { account(id: $id) { name } case(id: $id) { id } }', about)
    expect(alone.body.data).toEqual({ account: { name: 'Northwind' }, case: null })
    expect(alone.body.errors.map((error: { path: string[] }) => error.path)).toEqual([['case']])
  })

  it('is refused as a change in GraphQL', async () => {
    const create = () => without.graphql('mutation { caseCreate(input: { subject: "x" }) { id } }')
    const { body } = await unchanged(platform, create)
    expect(body.errors[0].extensions.code).toBe('ENTITLEMENT_REQUIRED')
  })

  it('is refused per feature', async () => {
    expect(outcome(await without.rest.productList!())).toEqual([402, 'ENTITLEMENT_REQUIRED', 'catalog'])
    expect((await without.rest.accountList!()).status).toBe(200)
  })
})

describe('a resource that the plan includes', () => {
  it('is available, and changes of the plan take effect immediately', async () => {
    expect((await entitled.rest.caseList!()).status).toBe(200)
    const member = await platform.member({ organizationId: await platform.organization('Third') })
    const status = async () => (await member.rest.caseList!()).status
    expect(await status()).toBe(402)
    await setEntitlements(platform.services, member.organizationId, ['service-desk', 'service-desk'])
    await expect.poll(status, { interval: 5, timeout: 2000 }).toBe(200)
    await setEntitlements(platform.services, member.organizationId, [])
    await expect.poll(status, { interval: 5, timeout: 2000 }).toBe(402)
  })
})

describe('setEntitlements', () => {
  it('emits one event and one audit log entry', async () => {
    const organizationId = await platform.organization('Outcome')
    for (const features of [
      ['forecasts', 'catalog'],
      ['catalog', 'forecasts'],
    ])
      await setEntitlements(platform.services, organizationId, features)
    const events = await platform.eventsOf(organizationId)
    expect(events.map(({ type }) => type)).toEqual(['organization.created', 'organization.updated'])
    expect(events[1]!.data).toMatchObject({
      record: { entitlements: ['catalog', 'forecasts'] },
      changedFields: ['entitlements'],
    })
    const audit = await platform.query('select action from identity.audit_entry where target_id = $1 order by id', [
      organizationId,
    ])
    expect(audit.map(({ action }) => action)).toEqual(['organization.created', 'organization.updated'])
  })

  it('is called by `npm run organization -- entitlements`', async () => {
    const organizationId = await platform.organization('Commanded')
    const { databaseUrl } = platform.services
    const run = (features: string) =>
      operate(['organization', 'entitlements', organizationId, features], {
        DATA_DIR: platform.dataDir,
        DATABASE_URL: databaseUrl,
      })
    const found = async () =>
      (await platform.query('select entitlements from identity.organization where id = $1', [organizationId]))[0]!
    expect(await run('forecasts,catalog')).toBe(
      `The plan of the organization ${organizationId} includes catalog, forecasts.`,
    )
    expect(await found()).toEqual({ entitlements: ['catalog', 'forecasts'] })
    expect(await run('none')).toBe(`The plan of the organization ${organizationId} includes no named feature.`)
    expect(await found()).toEqual({ entitlements: [] })
    await expect(run('No such')).rejects.toMatchObject({
      stderr: expect.stringContaining('entitlements must be at most'),
    })
  })

  it.each([[['Forecasts']], [['a b']], [['']], [['x'.repeat(65)]]])('refuses %j', async (features) => {
    const { organizationId } = entitled
    await expect(setEntitlements(platform.services, organizationId, features)).rejects.toMatchObject({ status: 400 })
  })
})
