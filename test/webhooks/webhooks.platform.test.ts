import { beforeAll, describe, expect, it } from 'vitest'
import { WebhookReader, signingSecrets } from '../../subgraphs/events/webhook/webhook-reader.ts'
import { disableFailingWebhook } from '../../subgraphs/events/webhook/webhook.actions.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
const hour = 3_600_000
let owner: Member
let admin: Member
let reader: WebhookReader
beforeAll(async () => {
  owner = await platform.member({ role: 'OWNER' })
  admin = await platform.member({ role: 'ADMIN' })
  reader = new WebhookReader(platform.services)
})

const settings = { name: 'ERP', url: 'https://erp.example.com/hooks', events: ['account.created', 'order.*'] }

const aWebhook = async (input: object = {}, by: Member = owner) => {
  const { status, body } = await by.rest.webhookCreate!({ body: { ...settings, ...input } })
  expect([status, body.errors]).toEqual([201, undefined])
  return body
}

const stored = async (id: string) =>
  (await platform.query('select * from events.webhook_with_state where id = $1', [id]))[0]!

const auditOf = async (id: string) =>
  (
    await platform.query<{ action: string }>(
      'select action from identity.audit_entry where target_id = $1 order by created_at, id',
      [id],
    )
  ).map(({ action }) => action)

describe('webhookCreate', () => {
  it('answers 201 with the defaults and the secret, which no other answer contains', async () => {
    const body = await aWebhook()
    expect(body).toMatchObject({
      ...settings,
      ownerId: owner.userId,
      isEnabled: true,
      payloadVersion: 2,
      retryAttempts: 3,
      retryDelaySeconds: 60,
      headers: {},
      namedCredentialId: null,
      fields: [],
      debounceSeconds: 0,
      conditions: [],
      logic: 'AND',
      skipOwn: false,
      selection: null,
      previousSecretExpiresAt: null,
      consecutiveFailures: 0,
      disabledAt: null,
      disabledReason: null,
      isPaused: false,
      lastDeliveryAt: null,
      lastStatus: null,
      lastResponseStatus: null,
      version: 1,
    })
    expect(body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const { id, secret } = body
    const [read, list] = [await owner.rest.webhook!({ id }), await owner.rest.webhookList!({ limit: 100 })]
    expect(read.body).toEqual(Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'secret')))
    expect(JSON.stringify([read.body, list.body])).not.toContain(secret)
    const row = await stored(id)
    expect(JSON.stringify(row)).not.toContain(secret)
    expect(
      JSON.stringify(await platform.query('select data from kernel.event where record_id = $1', [id])),
    ).not.toContain('secret"')
    expect(await auditOf(id)).toEqual(['webhook.created'])
  })

  it.each([
    [{ events: [] }, 'events', 'TOO_FEW'],
    [{ events: undefined }, 'events', 'REQUIRED'],
    [{ events: null }, 'events', 'WRONG_TYPE'],
    [{ selection: '' }, 'selection', 'NOT_GRAPHQL'],
    [{ selection: ' \n' }, 'selection', 'NOT_GRAPHQL'],
    [{ events: ['order.sold'] }, 'events.0', 'UNKNOWN_EVENT'],
    [{ events: ['order.created', 'nothing.*'] }, 'events.1', 'UNKNOWN_EVENT'],
    [{ events: ['*'] }, 'events.0', 'UNKNOWN_EVENT'],
    [{ events: ['order.*', 'order.*'] }, 'events.1', 'NOT_UNIQUE'],
    [{ url: 'ftp://example.com' }, 'url', 'NOT_A_URL'],
    [{ url: 'example.com/hook' }, 'url', 'NOT_A_URL'],
    [{ url: 'https://exa mple.com' }, 'url', 'NOT_A_URL'],
    [{ url: 'https://example.com/a\nb' }, 'url', 'NOT_A_URL'],
    [{ url: 'http://example.com/hook' }, 'url', 'NOT_HTTPS'],
    [{ url: 'https://user:pass@example.com' }, 'url', 'CREDENTIALS_IN_URL'],
    [{ url: 'https://example.com/#part' }, 'url', 'FRAGMENT_IN_URL'],
    [{ url: 'https://example.com:22/' }, 'url', 'PORT_NOT_ALLOWED'],
    [{ url: 'https://169.254.169.254/latest' }, 'url', 'ADDRESS_NOT_PUBLIC'],
    [{ url: 'https://[::ffff:10.0.0.1]/' }, 'url', 'ADDRESS_NOT_PUBLIC'],
    [{ url: 'https://[::10.0.0.1]/' }, 'url', 'ADDRESS_NOT_PUBLIC'],
    [{ url: 'https://0x7f.1/' }, 'url', 'ADDRESS_NOT_PUBLIC'],
    [{ fields: ['status', 'colour'] }, 'fields.1', 'UNKNOWN_FIELD'],
    [{ namedCredentialId: newId() }, 'namedCredentialId', 'UNKNOWN_REFERENCE'],
    [{ ownerId: newId() }, 'ownerId', 'UNKNOWN_REFERENCE'],
    [{ headers: { 'X-Service-Signature': 'x' } }, 'headers.X-Service-Signature', 'RESERVED'],
    [{ headers: { 'content-LENGTH': '1' } }, 'headers.content-LENGTH', 'RESERVED'],
    [{ headers: { Cookie: 'a=b' } }, 'headers.Cookie', 'RESERVED'],
    [{ headers: { 'Proxy-Authorization': 'x' } }, 'headers.Proxy-Authorization', 'RESERVED'],
    [{ headers: { 'webhook-id': 'x' } }, 'headers.webhook-id', 'RESERVED'],
    [{ headers: { 'a b': 'x' } }, 'headers.a b', 'NOT_A_HEADER'],
    [{ headers: { 'X-A': 'a\r\nX-B: b' } }, 'headers.X-A', 'NOT_A_HEADER'],
    [{ headers: { 'X-A': 'é' } }, 'headers.X-A', 'NOT_A_HEADER'],
    [{ headers: { 'X-A': '' } }, 'headers.X-A', 'NOT_A_HEADER'],
    [{ headers: { 'X-A': null } }, 'headers.X-A', 'WRONG_TYPE'],
    [{ headers: { 'X-A': 1 } }, 'headers.X-A', 'WRONG_TYPE'],
    [{ headers: { 'X-A': '1', 'x-a': '2' } }, 'headers', 'NOT_UNIQUE'],
    [{ headers: { 'X-A': 'x'.repeat(8192) } }, 'headers', 'TOO_LONG'],
    [{ headers: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`X-${i}`, 'v'])) }, 'headers', 'TOO_MANY'],
    [{ headers: ['x'] }, 'headers', 'WRONG_TYPE'],
  ])('refuses %j with 400 and stores nothing', async (input, path, code) => {
    const count = async () => (await platform.query('select count(*)::int as n from events.webhook'))[0]
    const before = await count()
    const { status, body } = await owner.rest.webhookCreate!({ body: { ...settings, ...input } })
    expect([status, body.errors?.[0]?.path, body.errors?.[0]?.code]).toEqual([400, path, code])
    expect(await count()).toEqual(before)
  })

  it('answers a repeated Idempotency-Key with the same webhook and secret', async () => {
    const headers = { ...owner.headers, 'content-type': 'application/json', 'idempotency-key': newId() }
    const body = JSON.stringify({ ...settings, headers: { 'X-A': 'b' } })
    const send = async () => fetch(`${platform.url}/v1/webhooks`, { method: 'POST', headers, body })
    const [first, second] = [await send(), await send()]
    expect([first.status, second.status, second.headers.get('idempotent-replayed')]).toEqual([201, 201, 'true'])
    const created = (await first.json()) as { id: string; secret: string }
    expect(await second.json()).toEqual(created)
    expect((await reader.of(owner.organizationId))(created.id)!.secret).toBe(created.secret)
  })

  it('refuses very long lists in GraphQL by their bound, without comparing their items', async () => {
    const query = 'mutation ($input: WebhookCreateInput!) { webhookCreate(input: $input) { id } }'
    const events = Array.from({ length: 65 }, (_, index) => `x${index}.created`)
    const { body } = await owner.graphql(query, { input: { ...settings, events } })
    expect(body.errors[0].extensions.errors).toMatchObject([{ path: 'events', code: 'TOO_MANY' }])
  })

  it('refuses managers, members and readers with 403, also to read', async () => {
    const { id } = await aWebhook()
    for (const role of ['MANAGER', 'MEMBER', 'READ_ONLY'] as const) {
      const { rest } = await platform.member({ role })
      const answers = [
        await rest.webhookCreate!({ body: settings }),
        await rest.webhook!({ id }),
        await rest.webhookList!(),
        await rest.webhookUpdate!({ id, body: { name: 'Mine' } }),
        await rest.webhookRotateSecret!({ id }),
        await rest.webhookDelete!({ id }),
      ]
      expect(answers.map(({ status, body }) => `${status} ${body.code}`)).toEqual(
        Array<string>(6).fill('403 PERMISSION_DENIED'),
      )
    }
    expect((await stored(id)).version).toBe(1)
  })

  it('accepts custom events that the organization has, and custom.*', async () => {
    const schema = { type: 'object', properties: { minutes: { type: 'integer' } } }
    const query = 'mutation ($input: CustomEventTypeCreateInput!) { customEventTypeCreate(input: $input) { id } }'
    const input = { apiName: 'machine_stopped', label: 'Machine stopped', schema }
    expect((await owner.graphql(query, { input })).body.errors).toBeUndefined()
    const conditions = [{ field: 'minutes', operator: 'GREATER_THAN', value: 5 }]
    await aWebhook({ events: ['custom.machine_stopped', 'custom.*'], conditions })
    const refused = await owner.rest.webhookCreate!({ body: { ...settings, events: ['custom.machine_started'] } })
    expect([refused.status, refused.body.errors[0].code]).toEqual([400, 'UNKNOWN_EVENT'])
    const other = await platform.member({ role: 'OWNER', organizationId: await platform.organization('Without types') })
    const foreign = await other.rest.webhookCreate!({ body: { ...settings, events: ['custom.machine_stopped'] } })
    expect([foreign.status, foreign.body.errors[0].code]).toEqual([400, 'UNKNOWN_EVENT'])
  })

  it('accepts keys with WEBHOOKS, and refuses to write with READ_WEBHOOKS', async () => {
    const legacy = await platform.member({ role: 'ADMIN', scopes: ['WEBHOOKS'] })
    expect((await legacy.rest.webhookCreate!({ body: settings })).status).toBe(201)
    const reading = await platform.member({ role: 'ADMIN', scopes: ['READ_WEBHOOKS'] })
    expect((await reading.rest.webhookList!()).status).toBe(200)
    const refused = await reading.rest.webhookCreate!({ body: settings })
    expect([refused.status, refused.body.code]).toEqual([403, 'API_KEY_SCOPE_INSUFFICIENT'])
  })

  it('refuses the 101st webhook of an organization, also when they are created at the same time', async () => {
    const organizationId = await platform.organization('Full')
    const { rest } = await platform.member({ role: 'OWNER', organizationId })
    const answers = await Promise.all(Array.from({ length: 104 }, () => rest.webhookCreate!({ body: settings })))
    const refused = answers.filter(({ status }) => status !== 201)
    expect(refused.map(({ status, body }) => [status, body.errors[0].code])).toEqual(
      Array.from({ length: 4 }, () => [400, 'TOO_MANY']),
    )
    expect((await rest.webhookStats!()).body).toEqual({ total: 100, enabled: 100, failed: 0 })
  })
})

describe('webhookUpdate', () => {
  it('switches the payload version, and turns off and on with all that follows', async () => {
    const { id } = await aWebhook()
    expect((await owner.rest.webhookUpdate!({ id, body: { payloadVersion: 1 } })).body).toMatchObject({
      payloadVersion: 1,
      version: 2,
    })
    const off = await owner.rest.webhookUpdate!({ id, body: { isEnabled: false } })
    expect(off.body).toMatchObject({
      isEnabled: false,
      disabledAt: platform.now.toISOString(),
      disabledReason: 'REQUESTED',
      version: 3,
    })
    await platform.query('update events.webhook_state set consecutive_failures = 7 where webhook_id = $1', [id])
    const on = await owner.rest.webhookEnable!({ id })
    expect(on.body).toMatchObject({
      isEnabled: true,
      disabledAt: null,
      disabledReason: null,
      consecutiveFailures: 0,
      version: 4,
    })
    expect((await stored(id)).consecutive_failures).toBe(0)
    expect((await owner.rest.webhookEnable!({ id })).body.version).toBe(4)
    expect((await owner.rest.webhookDisable!({ id })).body).toMatchObject({ isEnabled: false, version: 5 })
    const events = await platform.query<{ type: string }>(
      'select type from kernel.event where record_id = $1 order by id',
      [id],
    )
    expect(events.map(({ type }) => type)).toEqual([
      'webhook.created',
      'webhook.updated',
      'webhook.updated',
      'webhook.disabled',
      'webhook.updated',
      'webhook.updated',
      'webhook.disabled',
    ])
  })

  it.each([
    [{ payloadVersion: 3 }, 'payloadVersion'],
    [{ payloadVersion: 0 }, 'payloadVersion'],
    [{ retryAttempts: 11 }, 'retryAttempts'],
    [{ retryAttempts: -1 }, 'retryAttempts'],
    [{ retryDelaySeconds: 0 }, 'retryDelaySeconds'],
    [{ retryDelaySeconds: 21_601 }, 'retryDelaySeconds'],
    [{ debounceSeconds: 301 }, 'debounceSeconds'],
    [{ name: ' ' }, 'name'],
    [{ url: 'https://10.1.2.3/' }, 'url'],
    [{ events: ['account.created'], fields: ['orderNumber'] }, 'fields.0'],
    [{ events: null }, 'events'],
    [{ selection: '' }, 'selection'],
  ])('refuses %j with 400 and changes nothing', async (input, path) => {
    const { id } = await aWebhook()
    const { status, body } = await owner.rest.webhookUpdate!({ id, body: input })
    expect([status, body.errors[0].path]).toEqual([400, path])
    expect((await stored(id)).version).toBe(1)
  })

  it('keeps the stored value of a header with null, removes the others, and never returns a value', async () => {
    const { id, organizationId, headers } = await aWebhook({
      headers: { Authorization: 'Bearer top', 'X-Old': 'gone' },
    })
    expect(headers).toEqual({ Authorization: null, 'X-Old': null })
    const changed = await owner.rest.webhookUpdate!({
      id,
      body: { headers: { Authorization: null, 'X-New': 'fresh' } },
    })
    expect([changed.status, changed.body.headers]).toEqual([200, { Authorization: null, 'X-New': null }])
    expect((await reader.of(organizationId))(id)!.headers).toEqual({ Authorization: 'Bearer top', 'X-New': 'fresh' })
    const everything = await platform.query(
      `select to_jsonb(e)::text from kernel.event e where record_id = $1 union all
       select to_jsonb(a)::text from identity.audit_entry a where target_id = $1::text union all
       select to_jsonb(w)::text from events.webhook w where id = $1`,
      [id],
    )
    expect(JSON.stringify(everything)).not.toMatch(/Bearer top|fresh/)
    const same = await owner.rest.webhookUpdate!({ id, body: { headers: changed.body.headers } })
    expect([same.status, same.body.version]).toEqual([200, changed.body.version])
  })

  it('refuses an admin to change the webhook of an owner, except to turn it off', async () => {
    const { id } = await aWebhook()
    const { rest } = admin
    const refused = [
      await rest.webhookUpdate!({ id, body: { url: 'https://evil.example.com/' } }),
      await rest.webhookUpdate!({ id, body: { isEnabled: false, url: 'https://evil.example.com/' } }),
      await rest.webhookRotateSecret!({ id }),
      await rest.webhookCreate!({ body: { ...settings, ownerId: owner.userId } }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403])
    expect((await stored(id)).version).toBe(1)
    expect((await rest.webhookDisable!({ id })).body).toMatchObject({ isEnabled: false, version: 2 })
    expect((await rest.webhookEnable!({ id })).status).toBe(403)
    const own = await aWebhook({}, admin)
    const taken = await rest.webhookUpdate!({ id: own.id, body: { ownerId: owner.userId } })
    expect(taken.status).toBe(403)
    expect((await rest.webhookDelete!({ id })).status).toBe(204)
  })

  it('refuses an admin who does not see all records to act as another admin', async () => {
    const { organizationId } = owner
    const limited = await platform.member({ organizationId, role: 'ADMIN', visibility: 'OWN' })
    const { id } = await aWebhook({}, admin)
    const { rest } = limited
    const refused = [
      await rest.webhookUpdate!({ id, body: { name: 'Mine' } }),
      await rest.webhookRotateSecret!({ id }),
      await rest.webhookCreate!({ body: { ...settings, ownerId: admin.userId } }),
    ]
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
      Array.from({ length: 3 }, () => [403, 'PERMISSION_DENIED']),
    )
    expect((await stored(id)).version).toBe(1)
    expect((await rest.webhookCreate!({ body: { ...settings, ownerId: limited.userId } })).status).toBe(201)
  })

  it('sends stored header values and selections to another host only if the caller gives and may read them', async () => {
    const { id } = await aWebhook({ headers: { 'X-Token': 'top' } })
    const moved = { url: 'https://elsewhere.example.com/' }
    const refusedFor = async (body: object) =>
      (await owner.rest.webhookUpdate!({ id, body })).body.errors.map(({ path }: { path: string }) => path)
    expect(await refusedFor(moved)).toEqual(['headers'])
    expect(await refusedFor({ ...moved, headers: { 'X-Token': null } })).toEqual(['headers.X-Token'])
    expect((await stored(id)).version).toBe(1)
    const path = new URL('/other', settings.url).href
    expect((await owner.rest.webhookUpdate!({ id, body: { url: path } })).status).toBe(200)
    const given = await owner.rest.webhookUpdate!({ id, body: { ...moved, headers: { 'X-Token': 'new' } } })
    expect(given.status).toBe(200)
    const removed = await owner.rest.webhookUpdate!({ id, body: { url: path, headers: {} } })
    expect([removed.status, removed.body.headers, (await stored(id)).sealed_headers]).toEqual([200, {}, null])

    const selecting = await aWebhook({ selection: 'fragment A on Account { name }', events: ['account.created'] })
    const key = await platform.member({
      organizationId: owner.organizationId,
      role: 'OWNER',
      scopes: ['WRITE_WEBHOOKS'],
    })
    const answer = await key.rest.webhookUpdate!({ id: selecting.id, body: moved })
    expect([answer.status, answer.body.missingScopes]).toEqual([403, ['READ_ACCOUNTS']])
    expect((await stored(selecting.id)).version).toBe(1)
  })

  it('answers 404 to another organization, and 409 to another version', async () => {
    const { id } = await aWebhook()
    const other = await platform.member({ role: 'OWNER', organizationId: await platform.organization('Other') })
    expect((await other.rest.webhook!({ id })).status).toBe(404)
    expect((await other.rest.webhookUpdate!({ id, body: { name: 'Mine' } })).status).toBe(404)
    expect((await other.rest.webhookRotateSecret!({ id })).status).toBe(404)
    const conflict = await owner.rest.webhookUpdate!({
      id,
      body: { name: 'New' },
      headers: { 'If-Match': '"7"' },
    } as never)
    expect([conflict.status, (await stored(id)).version]).toEqual([409, 1])
  })
})

it.each([
  ['webhookUpdate', { name: 'New' }, 200, { name: 'New', version: 3 }],
  ['webhookEnable', undefined, 200, { is_enabled: true, version: 3 }],
  ['webhookDisable', undefined, 200, { is_enabled: false, version: 3 }],
  ['webhookRotateSecret', undefined, 200, { version: 3 }],
  ['webhookDelete', undefined, 204, { sealed_secret: null, version: 3 }],
] as const)('%s repeats its change when the webhook is changed between reading and writing it', async (...each) => {
  const [operation, body, status, expected] = each
  const { id } = await aWebhook({ isEnabled: operation !== 'webhookEnable' })
  const late = await platform.services.database.transaction(async (sql) => {
    await sql.query('update events.webhook set version = 2 where id = $1', [id])
    const answer = owner.rest[operation]!({ id, ...(body && { body }) })
    await expect.poll(() => platform.waitingForLocks(), { interval: 1, timeout: 5000 }).toBe(1)
    return { answer }
  })
  expect((await late.answer).status).toBe(status)
  expect(await stored(id)).toMatchObject(expected)
})

describe('conditions of a webhook', () => {
  const large = { field: 'total', operator: 'GREATER_THAN', value: 1000 }

  it('are stored with their logic', async () => {
    const conditions = [large, { field: 'status', operator: 'CHANGED_TO', value: 'CONFIRMED' }]
    const { id, organizationId, ...created } = await aWebhook({ events: ['order.*'], conditions })
    expect(created).toMatchObject({ conditions, logic: 'AND' })
    expect((await owner.rest.webhookUpdate!({ id, body: { logic: 'OR' } })).body).toMatchObject({
      conditions,
      logic: 'OR',
    })
    expect((await reader.of(organizationId))(id)).toMatchObject({ conditions, logic: 'OR' })
  })

  it.each([
    [{ conditions: [{ field: 'colour', operator: 'EQUALS', value: 1 }] }, 'conditions.0.field'],
    [{ conditions: [{ ...large, operator: 'CONTAINS' }] }, 'conditions.0.operator'],
    [{ conditions: [{ ...large, value: 'much' }] }, 'conditions.0.value'],
    [{ events: ['order.created', 'account.created'], conditions: [large] }, 'conditions.0.field'],
    [{ logic: 'XOR' }, 'logic'],
    [{ conditions: Array.from({ length: 51 }, () => large) }, 'conditions'],
  ])('refuses %j with 400', async (input, path) => {
    const { status, body } = await owner.rest.webhookCreate!({ body: { ...settings, events: ['order.*'], ...input } })
    expect([status, body.errors[0].path]).toEqual([400, path])
  })

  it.each([
    ['case.*', { field: 'priority', operator: 'EQUALS', value: 'HIGH' }],
    ['case.*', { field: 'isInternal', operator: 'EQUALS', value: false }],
    ['workflow.*', { field: 'errorCode', operator: 'IS_NOT_EMPTY' }],
    ['workflow.*', { field: 'triggerType', operator: 'EQUALS', value: 'WEBHOOK' }],
    ['function.failed', { field: 'functionId', operator: 'IS_NOT_EMPTY' }],
  ])('of %s, which are events of several objects or with a payload, fit one of the objects: %j', async (name, fits) => {
    const { id } = await aWebhook({ events: [name], conditions: [fits] })
    expect((await stored(id)).conditions).toHaveLength(1)
    const both = { events: [name], conditions: [fits, { field: 'colour', operator: 'IS_EMPTY' }] }
    const refused = await owner.rest.webhookCreate!({ body: { ...settings, ...both } })
    expect([refused.status, refused.body.errors]).toMatchObject([400, [{ code: 'UNKNOWN_FIELD' }]])
  })

  it('are checked again when the events change', async () => {
    const { id } = await aWebhook({ events: ['order.*'], conditions: [large] })
    const refused = await owner.rest.webhookUpdate!({ id, body: { events: ['account.*'] } })
    expect([refused.status, refused.body.errors[0].path]).toEqual([400, 'conditions.0.field'])
    expect((await stored(id)).version).toBe(1)
  })
})

describe('webhookRotateSecret', () => {
  it('signs with both secrets until the overlap ends', async () => {
    const { id, organizationId, secret } = await aWebhook()
    const rotated = await owner.rest.webhookRotateSecret!({ id })
    expect(rotated.body).toMatchObject({
      id,
      version: 2,
      previousSecretExpiresAt: new Date(platform.now.getTime() + 24 * hour).toISOString(),
    })
    const next = rotated.body.secret as string
    expect(next).not.toBe(secret)
    const read = (await reader.of(organizationId))(id)!
    expect(signingSecrets(read, new Date(platform.now.getTime() + 24 * hour - 1))).toEqual([next, secret])
    expect(signingSecrets(read, new Date(platform.now.getTime() + 24 * hour))).toEqual([next])
    const again = await owner.rest.webhookRotateSecret!({ id, body: { overlapHours: 168 } })
    expect(signingSecrets((await reader.of(organizationId))(id)!, platform.now)).toEqual([again.body.secret, next])
    const last = await owner.rest.webhookRotateSecret!({ id, body: { overlapHours: 0 } })
    expect(signingSecrets((await reader.of(organizationId))(id)!, platform.now)).toEqual([last.body.secret])
    expect(await auditOf(id)).toEqual(['webhook.created', 'webhook.rotated', 'webhook.rotated', 'webhook.rotated'])
  })

  it('refuses overlaps beyond 0 to 168 hours and changes nothing', async () => {
    const { id } = await aWebhook()
    for (const overlapHours of [-1, 169, 1.5, null, '24']) {
      const refused = await owner.rest.webhookRotateSecret!({ id, body: { overlapHours } })
      expect([refused.status, refused.body.errors[0].path]).toEqual([400, 'overlapHours'])
    }
    expect((await stored(id)).version).toBe(1)
  })
})

describe('webhookDelete', () => {
  it('removes the webhook with its secrets', async () => {
    const { id, organizationId } = await aWebhook({ headers: { 'X-A': 'b' } })
    expect((await reader.of(organizationId))(id)).not.toBeNull()
    expect((await owner.rest.webhookDelete!({ id })).status).toBe(204)
    expect((await owner.rest.webhook!({ id })).status).toBe(404)
    expect((await reader.of(organizationId))(id)).toBeNull()
    expect(await stored(id)).toMatchObject({ sealed_secret: null, sealed_previous_secret: null, sealed_headers: null })
    expect(await auditOf(id)).toEqual(['webhook.created', 'webhook.deleted'])
  })
})

describe('WebhookReader', () => {
  it('tells whether the owner of a webhook is no active owner or admin', async () => {
    const organizationId = await platform.organization('Paused')
    const first = await platform.member({ role: 'OWNER', organizationId })
    const second = await platform.member({ role: 'ADMIN', organizationId })
    const kept = await aWebhook({}, first)
    const { id } = await aWebhook({}, second)
    const paused = async () => {
      const find = await reader.of(organizationId)
      return [kept.id, id].filter((each) => find(each)!.isPaused)
    }
    expect(await paused()).toEqual([])

    for (const change of [
      'is_active = false',
      `is_active = true, role = 'MEMBER'`,
      `role = 'ADMIN', left_at = now()`,
    ]) {
      await platform.query(`update identity.app_user set ${change} where id = $1`, [second.userId])
      expect(await paused()).toEqual([id])
      expect((await first.rest.webhook!({ id })).body).toMatchObject({ isPaused: true, isEnabled: true })
      expect((await first.rest.webhookEnable!({ id })).status).toBe(409)
    }
    const taken = await first.rest.webhookUpdate!({ id, body: { ownerId: first.userId } })
    expect(taken.body).toMatchObject({ isPaused: false, ownerId: first.userId })
    expect(await paused()).toEqual([])
  })
})

describe('disableFailingWebhook', () => {
  it('turns the webhook off once, however many workers ask for it', async () => {
    const { id, organizationId } = await aWebhook()
    const ctx = systemContext(platform.services, organizationId)
    const done = await Promise.all(Array.from({ length: 8 }, () => disableFailingWebhook(ctx, id)))
    expect(done.filter(Boolean)).toHaveLength(1)
    expect((await owner.rest.webhook!({ id })).body).toMatchObject({ isEnabled: false, disabledReason: 'FAILURES' })
    const [events] = await platform.query(
      `select count(*)::int as n from kernel.event where record_id = $1 and type = 'webhook.disabled'`,
      [id],
    )
    expect(events).toEqual({ n: 1 })
  })
})
