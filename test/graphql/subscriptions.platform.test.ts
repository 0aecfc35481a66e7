import { describe, expect, it } from 'vitest'
import { deactivateUser } from '../../subgraphs/identity/public.ts'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account, product, supportCase } from '../builders.ts'
import { unchanged } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import { socketOf, subscribeByEvents, subscribeOn, protocols, type Payload } from '../live.ts'

const platform = usePlatform()

const accountChanged = `subscription ($id: ID!, $after: String) {
  recordChanged(object: ACCOUNT, id: $id, after: $after) { type account { name phone } }
}`

const eventPayload = (type: string, values: object | null): Payload => ({
  data: { recordChanged: { type, account: values && { phone: null, ...values } } },
})
const refusal = (code: string, more: object = {}) => ({ errors: [{ extensions: { code, ...more } }] })

async function update(member: Member, id: string, body: object): Promise<void> {
  expect((await member.rest.accountUpdate!({ id, body })).status).toBe(200)
}

const missing = '0199d1a0-0000-7000-8000-000000000000'

describe.each(protocols)('recordChanged over %s', (protocol, subscribe) => {
  /** A subscription that has delivered the creation of the record, so it is live. */
  async function subscribedTo(member: Member, id: string) {
    const live = await subscribe(platform, member, accountChanged, { id, after: '0' })
    expect(await live.next()).toMatchObject({ data: { recordChanged: { type: 'account.created' } } })
    return live
  }

  it('delivers each change of the record in order, and no change of other records', async () => {
    const member = await platform.member()
    const [{ id }, other] = [await account(member, { name: 'Acme' }), await account(member)]
    const live = await subscribe(platform, member, accountChanged, { id: id.toUpperCase(), after: '0' })
    expect(await live.next()).toEqual(eventPayload('account.created', { name: 'Acme' }))
    await update(member, other.id, { name: 'Other' })
    for (const name of ['One', 'Two', 'Three']) {
      await update(member, id, { name })
      expect(await live.next()).toEqual(eventPayload('account.updated', { name }))
    }
  })

  it('delivers changes of cases and products, with fields from other subgraphs', async () => {
    const member = await platform.member()
    const { id: accountId } = await account(member)
    const createdCase = await supportCase(member, { subject: 'Printer', accountId })
    const bolt = await product(member, { name: 'Bolt' })
    const followed = (object: string, fields: string) =>
      `subscription ($id: ID!) { changed: recordChanged(object: ${object}, id: $id, after: "0") { ...Change } }
       fragment Change on RecordChange { id type cursor occurredAt ${fields} }`
    const envelope = { id: expect.stringMatching(/^evt_[0-9a-f-]{36}$/), cursor: expect.stringMatching(/^\d+$/) }

    const ofCase = await subscribe(
      platform,
      member,
      followed('CASE', 'case { subject account { id } } account { id }'),
      {
        id: createdCase.id,
      },
    )
    expect(await ofCase.next()).toEqual({
      data: {
        changed: {
          ...envelope,
          type: 'case.created',
          occurredAt: platform.now.toISOString(),
          case: { subject: 'Printer', account: { id: accountId } },
          account: null,
        },
      },
    })
    const ofProduct = await subscribe(platform, member, followed('PRODUCT', 'product { name }'), { id: bolt.id })
    expect(await ofProduct.next()).toMatchObject({
      data: { changed: { type: 'product.created', product: { name: 'Bolt' } } },
    })
    const ofAccount = await subscribe(
      platform,
      member,
      followed('ACCOUNT', 'account { cases { nodes { subject } } }'),
      {
        id: accountId,
      },
    )
    expect(await ofAccount.next()).toMatchObject({
      data: { changed: { account: { cases: { nodes: [{ subject: 'Printer' }] } } } },
    })
  })

  it('continues after a cursor, so that a client that reconnects misses nothing', async () => {
    const member = await platform.member()
    const { id } = await account(member, { name: 'Acme' })
    const document = `subscription ($id: ID!, $after: String) {
      recordChanged(object: ACCOUNT, id: $id, after: $after) { cursor type account { name } }
    }`
    const first = await subscribe(platform, member, document, { id, after: '0' })
    const { data } = (await first.next()) as Payload
    first.leave()
    await update(member, id, { name: 'Meanwhile' })
    const again = await subscribe(platform, member, document, { id, after: data.recordChanged.cursor })
    expect(await again.next()).toMatchObject({
      data: { recordChanged: { type: 'account.updated', account: { name: 'Meanwhile' } } },
    })
  })

  it('hides the fields that the profile of the subscriber hides at the time of each payload', async () => {
    const writer = await platform.member()
    const reader = await platform.member()
    const { id } = await account(writer, { name: 'Acme', phone: '1' })
    const live = await subscribe(platform, reader, accountChanged, { id, after: '0' })
    expect(await live.next()).toEqual(eventPayload('account.created', { name: 'Acme', phone: '1' }))
    const ctx = systemContext(platform.services, reader.organizationId)
    const profile = await createProfile(ctx, { name: `Without phones ${id}`, fields: { account: { phone: 'HIDDEN' } } })
    await assignProfile(ctx, reader.userId, profile.id)
    await expect.poll(async () => (await reader.rest.account!({ id })).body.phone).toBeUndefined()
    // A change of nothing but a hidden field is not sent.
    await update(writer, id, { phone: '2' })
    await update(writer, id, { name: 'Acme B', phone: '3' })
    expect(await live.next()).toEqual(eventPayload('account.updated', { name: 'Acme B', phone: null }))
  })

  it('delivers nothing but the loss itself while the subscriber does not see the record', async () => {
    const all = await platform.member()
    const own = await platform.member({ visibility: 'OWN' })
    const { id } = await account(all, { name: 'Mine', ownerId: own.userId })
    const live = await subscribedTo(own, id)
    const otherSubscription = await subscribedTo(all, id)
    await update(all, id, { ownerId: all.userId, name: 'Given away' })
    await otherSubscription.next()
    expect(await live.next()).toEqual(eventPayload('account.left_sight', null))
    await update(all, id, { name: 'Secret' })
    await otherSubscription.next()
    await update(all, id, { ownerId: own.userId, name: 'Given back' })
    expect(await live.next()).toEqual(eventPayload('account.updated', { name: 'Given back' }))

    await update(all, id, { ownerId: all.userId })
    await otherSubscription.next()
    await otherSubscription.next()
    expect(await live.next()).toEqual(eventPayload('account.left_sight', null))
    expect((await all.rest.accountDelete!({ id })).status).toBe(204)
    expect(await otherSubscription.next()).toEqual(eventPayload('account.deleted', null))
    await deactivateUser(platform.services, own.organizationId, own.userId)
    const last = await live.next()
    if (last !== 'closed') expect(last).toMatchObject(refusal('API_KEY_OWNER_INACTIVE'))
  })

  it('delivers the deletion as the last event', async () => {
    const member = await platform.member({ visibility: 'OWN' })
    const { id } = await account(member)
    const live = await subscribedTo(member, id)
    expect((await member.rest.accountDelete!({ id })).status).toBe(204)
    expect(await live.next()).toEqual(eventPayload('account.deleted', null))
    expect(await live.next()).toBe('completed')
  })

  it('is refused with the same message for records that the subscriber does not see and records that do not exist', async () => {
    const member = await platform.member({ visibility: 'OWN' })
    const elsewhere = await platform.member({ organizationId: await platform.organization('Elsewhere') })
    const others = await account(await platform.member())
    const foreign = await account(elsewhere)
    const answers = []
    for (const id of [others.id, foreign.id, missing, 'nothing']) {
      const live = await subscribe(platform, member, accountChanged, { id, after: '0' })
      const { errors } = (await live.next()) as Payload
      answers.push([errors[0].extensions.code, errors[0].message])
    }
    const notFound = ['NOT_FOUND', 'The account was not found.']
    expect(answers).toEqual([notFound, notFound, notFound, notFound])
  })

  it('requires the scope of the record, for any selection', async () => {
    const { id } = await account(await platform.member())
    const member = await platform.member({ scopes: ['READ_CASES'] })
    const bare = 'subscription ($id: ID!) { recordChanged(object: ACCOUNT, id: $id) { type } }'
    const missingScopes = ['READ_ACCOUNTS']
    for (const document of [bare, accountChanged]) {
      const live = await subscribe(platform, member, document, { id })
      expect(await live.next()).toMatchObject(refusal('API_KEY_SCOPE_INSUFFICIENT', { missingScopes }))
    }
    const products = await platform.member({ scopes: ['READ_CONTACTS'] })
    const refused = await subscribe(platform, products, bare, { id })
    expect(await refused.next()).toMatchObject(refusal('API_KEY_SCOPE_INSUFFICIENT'))
  })

  it('is refused for an invalid cursor, and for a root field that may be skipped', async () => {
    const member = await platform.member()
    const { id } = await account(member)
    const wrong = await subscribe(platform, member, accountChanged, { id, after: 'yesterday' })
    expect(await wrong.next()).toMatchObject(refusal('VALIDATION_FAILED', { errors: [{ path: 'after' }] }))
    const field = 'recordChanged(object: ACCOUNT, id: "1")'
    for (const document of [
      `subscription ($no: Boolean = false) { ${field} @include(if: $no) { type } }`,
      `subscription { ...Root } fragment Root on Subscription { ... @skip(if: true) { ${field} { type } } }`,
      `subscription { ${field} { type } other: ${field} { type } }`,
      'subscription { __typename }',
    ]) {
      const refused = await subscribe(platform, member, document)
      expect(await refused.next()).toMatchObject(refusal('GRAPHQL_VALIDATION_FAILED'))
    }
  })

  it('ends with the credential, also without events', async () => {
    const member = await platform.member()
    const { id } = await account(await platform.member())
    const live = await subscribedTo(member, id)
    await deactivateUser(platform.services, member.organizationId, member.userId)
    // A websocket is closed instead, because clients do not connect again after an error.
    const ended = await live.next()
    if (protocol === 'graphql-ws') expect(ended).toBe('closed')
    else expect(ended).toMatchObject(refusal('API_KEY_OWNER_INACTIVE'))
  })

  it('counts as one request', async () => {
    const member = await platform.member()
    const { id } = await account(member)
    await subscribedTo(member, id)
    await platform.settled()
    const rows = await platform.query<{ operation: string }>(
      `select requests::int, status_2xx::int from identity.usage_hour where credential_id = $1 and operation = 'graphql'`,
      [member.keyId],
    )
    expect(rows).toEqual([{ requests: 1, status_2xx: 1 }])
  })
})

describe('recordChange', () => {
  it('returns the event of a record at a cursor, and changes nothing', async () => {
    const member = await platform.member()
    const { id } = await account(member)
    const document = `query ($id: ID!, $cursor: String!) { recordChange(object: ACCOUNT, id: $id, cursor: $cursor) { id type cursor } }`
    const logged = () => platform.services.events.read(member.organizationId, { after: 0, limit: 1, recordId: id })
    await expect.poll(logged).toHaveLength(1)
    const [event] = await logged()
    const cursor = String(event!.position)
    const { body } = await unchanged(platform, () => member.graphql(document, { id, cursor }))
    expect(body).toEqual({ data: { recordChange: { id: `evt_${event!.id}`, type: 'account.created', cursor } } })
    expect((await member.graphql(document, { id, cursor: '0' })).body).toEqual({ data: { recordChange: null } })
    expect((await member.graphql(document, { id, cursor: 'x' })).body).toMatchObject(refusal('VALIDATION_FAILED'))
    const { id: other } = await account(member)
    expect((await member.graphql(document, { id: other, cursor })).body).toEqual({ data: { recordChange: null } })
  })
})

describe('GraphQL over SSE', () => {
  const url = (): string => `${platform.url}/graphql`

  it('accepts queries also by GET', async () => {
    const member = await platform.member()
    const headers = { ...member.headers, accept: 'text/event-stream', 'apollo-require-preflight': 'true' }
    const got = await fetch(`${url()}?query={__typename}`, { headers })
    expect(await got.text()).toBe('event: next\ndata: {"data":{"__typename":"Query"}}\n\nevent: complete\ndata: \n\n')
  })

  it('answers queries and mutations with one result', async () => {
    const member = await platform.member()
    const query = await subscribeByEvents(url(), member.headers, '{ accountList { total } }')
    expect(query.response.headers.get('cache-control')).toBe('no-store, no-transform')
    expect(await query.next()).toMatchObject({ data: { accountList: { total: expect.any(Number) } } })
    expect([await query.next(), await query.next()]).toEqual(['completed', 'closed'])
    const mutation = await subscribeByEvents(
      url(),
      member.headers,
      'mutation { accountCreate(input: { name: "New" }) { name } }',
    )
    expect(await mutation.next()).toEqual({ data: { accountCreate: { name: 'New' } } })
    expect(await mutation.next()).toBe('completed')
  })

  it('reports errors of the operation in the stream, and all other errors with their status', async () => {
    const member = await platform.member({ scopes: ['READ_CASES'] })
    const wrong = await subscribeByEvents(url(), member.headers, '{ nothing }')
    expect(wrong.response.status).toBe(200)
    expect(await wrong.next()).toMatchObject(refusal('GRAPHQL_VALIDATION_FAILED'))
    expect(await wrong.next()).toBe('completed')
    const statuses = []
    for (const headers of [member.headers, {}, { 'x-api-key': 'wrong' }]) {
      const { response } = await subscribeByEvents(url(), headers, accountChanged, { id: missing })
      statuses.push([response.status, response.headers.get('content-type')])
    }
    expect(statuses).toEqual([403, 401, 401].map((status) => [status, 'application/json; charset=utf-8']))
  })

  it('is required: a subscription by plain POST or GET is refused with instructions', async () => {
    const member = await platform.member()
    const document = 'subscription { recordChanged(object: ACCOUNT, id: "1") { type } }'
    const posted = await member.graphql(document)
    expect([posted.status, posted.body]).toMatchObject([400, refusal('OPERATION_RESOLUTION_FAILURE')])
    expect(posted.body.errors[0].message).toContain('Accept: text/event-stream')
    const headers = { ...member.headers, accept: 'text/event-stream', 'apollo-require-preflight': 'true' }
    const got = await fetch(`${url()}?query=${encodeURIComponent(document)}`, { headers })
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST'])
  })
})

describe('a WebSocket with subscriptions', () => {
  it('can have 100 subscriptions, and still executes other requests', async () => {
    const member = await platform.member()
    const { id } = await account(member)
    const client = socketOf(platform, { 'X-API-Key': member.secret })
    const all = Array.from({ length: 100 }, () => subscribeOn(client, accountChanged, { id, after: '0' }))
    // A connection starts at most 32 operations concurrently; live subscriptions are not counted.
    const opened = await Promise.all(all.map((live) => live.next()))
    const refused = opened.filter((one) => (one as Payload).errors)
    expect(new Set(refused.map((one) => (one as Payload).errors[0].extensions.code))).toEqual(
      new Set(refused.length > 0 ? ['GRAPHQL_LIMIT_EXCEEDED'] : []),
    )
    const subscriptions = all.filter((_live, index) => !(opened[index] as Payload).errors)
    while (subscriptions.length < 100) {
      const live = subscribeOn(client, accountChanged, { id, after: '0' })
      expect(await live.next()).toHaveProperty('data')
      subscriptions.push(live)
    }
    const over = await subscribeOn(client, accountChanged, { id }).next()
    expect(over).toMatchObject({
      errors: [
        {
          message: 'Limit of 100 open subscriptions on one connection reached; complete one, then retry.',
          extensions: { limit: 100 },
        },
      ],
    })
    const queries = Array.from({ length: 32 }, () => subscribeOn(client, '{ accountList { total } }').next())
    for (const answer of await Promise.all(queries)) expect(answer).toHaveProperty('data.accountList.total')

    subscriptions.pop()!.leave()
    await expect.poll(() => subscribeOn(client, accountChanged, { id, after: '0' }).next()).toHaveProperty('data')
    await update(member, id, { name: 'For all' })
    for (const live of subscriptions)
      expect(await live.next()).toEqual(eventPayload('account.updated', { name: 'For all' }))
  })
})
