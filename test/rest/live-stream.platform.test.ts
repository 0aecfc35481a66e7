import { beforeEach, describe, expect, it } from 'vitest'
import { envelopeOf } from '../../subgraphs/events/public.ts'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { deactivateUser } from '../../subgraphs/identity/public.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account, contact, lead } from '../builders.ts'
import { unchanged } from '../expectations.ts'
import { listen, type Listening } from '../live.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let admin: Member

const customSchema = { type: 'object', properties: { minutes: { type: 'integer' } }, required: ['minutes'] }

beforeEach(async () => {
  admin = await platform.member({ organizationId: await platform.organization('Listening'), role: 'ADMIN' })
})

/** Every event of the organization has its position, so a stream that begins now does not get it. */
const settled = ({ organizationId }: Member) =>
  expect
    .poll(() => platform.query('select 1 from kernel.event_pending where organization_id = $1', [organizationId]))
    .toEqual([])

async function ready(member: Member, body?: unknown): Promise<Listening> {
  await settled(member)
  const stream = await listen(platform, member.headers, body)
  expect(await stream.next()).toMatchObject({ event: 'ready' })
  return stream
}

const refused = async (member: Member, body?: unknown) => member.rest.webhookListen!({ body })

/** The open streams of the organization over all processes. */
async function openStreams({ organizationId }: Member): Promise<number> {
  const [row] = await platform.query<{ count: number }>(
    'select count(*)::int as count from events.listen_slot where organization_id = $1 and until > now()',
    [organizationId],
  )
  return row!.count
}

async function envelopeOfLast({ organizationId }: Member) {
  const position = await platform.services.events.latest(organizationId)
  const [event] = await platform.services.events.read(organizationId, { after: position - 1, limit: 1 })
  return envelopeOf({ ...event!, organizationId })
}

describe('POST /v1/webhooks/listen', () => {
  it('sends a ready frame, then every event as the envelope of a webhook, and nothing that happened before', async () => {
    const { id } = await account(admin, { name: 'Before' })
    await settled(admin)
    const before = Date.now()
    const stream = await listen(platform, admin.headers)
    const { headers, status } = stream.response
    expect([
      status,
      headers.get('content-type'),
      headers.get('cache-control'),
      headers.get('content-encoding'),
    ]).toEqual([200, 'text/event-stream; charset=utf-8', 'no-store, no-transform', null])
    const first = (await stream.next())!
    expect(first).toEqual({ event: 'ready', data: { events: null, endsAt: expect.any(String) as string } })
    const lasts = Date.parse(first.data.endsAt) - before
    expect(lasts).toBeGreaterThanOrEqual(15 * 60_000)
    expect(lasts).toBeLessThan(15 * 60_000 + 5_000)

    await admin.rest.accountUpdate!({ id, body: { name: 'After' } })
    const updated = (await stream.next())!
    expect(updated).toEqual({ event: 'event', data: JSON.parse(JSON.stringify(await envelopeOfLast(admin))) as object })
    expect(updated.data).toMatchObject({
      id: expect.stringMatching(/^evt_[0-9a-f-]{36}$/) as string,
      type: 'account.updated',
      version: 1,
      organizationId: admin.organizationId,
      data: {
        object: 'account',
        id,
        record: { name: 'After' },
        previous: { name: 'Before' },
        changedFields: ['name'],
        actorId: admin.userId,
      },
    })
    expect(updated.data).not.toHaveProperty('test')
    await lead(admin)
    expect(await stream.next()).toMatchObject({ event: 'event', data: { type: 'lead.created' } })
  })

  it('sends only the selected types', async () => {
    const stream = await ready(admin, { events: ['account.updated', 'lead.*', 'custom.*'] })
    const { id } = await account(admin)
    await contact(admin)
    await lead(admin)
    await admin.rest.accountUpdate!({ id, body: { name: 'New' } })
    expect([await stream.next(), await stream.next()].map((frame) => frame!.data.type)).toEqual([
      'lead.created',
      'account.updated',
    ])
  })

  it('sends nothing of another organization', async () => {
    const other = await platform.member({ organizationId: await platform.organization('Other'), role: 'OWNER' })
    const stream = await ready(admin)
    await account(other, { name: 'Foreign' })
    await account(admin, { name: 'Own' })
    expect(await stream.next()).toMatchObject({ data: { data: { record: { name: 'Own' } } } })
  })

  it('sends what the caller may see: visible records, without hidden fields', async () => {
    const { organizationId } = admin
    const own = await platform.member({ organizationId, role: 'ADMIN', visibility: 'OWN' })
    const stream = await ready(own, { events: ['account.*'] })
    const whole = await ready(admin, { events: ['account.*'] })
    const ctx = systemContext(platform.services, organizationId)
    const profile = await createProfile(ctx, { name: 'Without phones', fields: { account: { phone: 'HIDDEN' } } })
    await assignProfile(ctx, own.userId, profile.id)
    await expect.poll(async () => (await account(own, { ownerId: own.userId })).phone).toBeUndefined()
    await account(admin, { name: 'Of another', ownerId: admin.userId, phone: '1' })
    await account(admin, { name: 'Mine', ownerId: own.userId, phone: '2' })
    let frame = await stream.next()
    while (frame!.data.data.record.name === 'Northwind Traders') frame = await stream.next()
    expect(frame!.data.data).toMatchObject({ record: { name: 'Mine' }, redactedFields: ['phone'] })
    expect(frame!.data.data.record).not.toHaveProperty('phone')
    let seen = await whole.next()
    while (seen!.data.data.record.name !== 'Mine') seen = await whole.next()
    expect(seen!.data.data.record).toMatchObject({ phone: '2' })
    expect(seen!.data.data).not.toHaveProperty('redactedFields')
  })

  it('sends private records to their owner only, also to admins with the same rights', async () => {
    const { organizationId } = admin
    const other = await platform.member({ organizationId, role: 'ADMIN' })
    const events = ['email_template.created', 'account.created']
    const [own, others] = [await ready(admin, { events }), await ready(other, { events })]
    const body = { name: 'Private', subject: 'Hello', bodyHtml: '<p>Hello</p>', isShared: false }
    for (const member of [admin, other]) {
      expect((await member.rest.emailTemplateCreate!({ body: { ...body, name: member.userId } })).status).toBe(201)
    }
    await account(admin, { name: 'Last' })
    for (const [stream, member] of [
      [own, admin],
      [others, other],
    ] as const) {
      expect(await stream.next()).toMatchObject({ data: { data: { record: { name: member.userId } } } })
      expect(await stream.next()).toMatchObject({ data: { data: { record: { name: 'Last' } } } })
    }
  })

  it('is refused for wrong lists, without an effect', async () => {
    const many = Array.from({ length: 65 }, () => 'lead.created')
    const paths = []
    for (const events of [
      [],
      many,
      ['nothing.*'],
      ['lead.created', '*'],
      ['lead.nothing'],
      ['custom.no-name'],
      'lead.*',
    ]) {
      const { status, body } = await unchanged(platform, () => refused(admin, { events }))
      paths.push([status, body.code, body.errors.map(({ path }: { path: string }) => path)])
    }
    const wrong = (...path: string[]) => [400, 'VALIDATION_FAILED', path]
    expect(paths).toEqual([
      wrong('events'),
      wrong('events'),
      wrong('events.0'),
      wrong('events.1'),
      wrong('events.0'),
      wrong('events.0'),
      wrong('events'),
    ])
    expect((await refused(admin, { types: ['lead.*'] })).body.code).toBe('UNKNOWN_FIELD')
    expect((await refused(admin, 'x'.repeat(1_100_000))).status).toBe(413)
    expect((await refused(admin, '{')).body.code).toBe('INVALID_JSON')
    const stream = await ready(admin, { events: many.slice(0, 64) })
    stream.leave()
  })

  it('needs an owner or admin, and WRITE_WEBHOOKS or the older WEBHOOKS', async () => {
    const { organizationId } = admin
    const codes = []
    for (const role of ['MANAGER', 'MEMBER', 'READ_ONLY'] as const) {
      codes.push((await refused(await platform.member({ organizationId, role }))).body)
    }
    expect(codes.map(({ code, requiredRoles }) => [code, requiredRoles])).toEqual(
      Array.from({ length: 3 }, () => ['PERMISSION_DENIED', ['OWNER', 'ADMIN']]),
    )
    const reader = await platform.member({ organizationId, role: 'OWNER', scopes: ['READ_WEBHOOKS', 'READ_EVENTS'] })
    expect((await refused(reader)).body).toMatchObject({
      code: 'API_KEY_SCOPE_INSUFFICIENT',
      missingScopes: ['WRITE_WEBHOOKS'],
    })
    for (const scopes of [['WRITE_WEBHOOKS'], ['WEBHOOKS']]) {
      await ready(await platform.member({ organizationId, role: 'OWNER', scopes }))
    }
    expect((await fetch(`${platform.url}/v1/webhooks/listen`, { method: 'POST' })).status).toBe(401)
  })

  it('has at most five streams in an organization', async () => {
    const streams = await Promise.all(Array.from({ length: 5 }, () => ready(admin)))
    const { status, body, headers } = await refused(admin)
    expect([status, headers.get('retry-after'), body]).toMatchObject([
      429,
      '5',
      { code: 'STREAM_LIMIT_REACHED', limit: 5 },
    ])
    const other = await platform.member({ organizationId: await platform.organization('Other'), role: 'OWNER' })
    await ready(other)
    streams[0]!.leave()
    await expect.poll(() => openStreams(admin)).toBe(4)
    await ready(admin)
    expect((await refused(admin)).status).toBe(429)
  })

  it('ends with the credential, and sends nothing after that', async () => {
    const { organizationId } = admin
    const leaving = await platform.member({ organizationId, role: 'ADMIN' })
    const demoted = await platform.member({ organizationId, role: 'ADMIN' })
    const revoked = await platform.member({ organizationId, role: 'ADMIN' })
    const [first, second, third] = [await ready(leaving), await ready(demoted), await ready(revoked)]
    await deactivateUser(platform.services, organizationId, leaving.userId)
    await platform.query(`update identity.app_user set role = 'MEMBER' where id = $1`, [demoted.userId])
    await platform.query(`update identity.api_key set revoked_at = now() where id = $1`, [revoked.keyId])
    const last = async (stream: Listening) => {
      let frame = await stream.next()
      // The change of the users itself is an event, which an admin may see as long as the credential is valid.
      while (frame?.event === 'event') frame = await stream.next()
      expect(await stream.next()).toBeNull()
      return frame
    }
    const ended = (code: string) => ({ event: 'end', data: { reason: 'CREDENTIAL_ENDED', code } })
    expect(await last(first)).toMatchObject(ended('API_KEY_OWNER_INACTIVE'))
    expect(await last(second)).toMatchObject(ended('PERMISSION_DENIED'))
    expect(await last(third)).toMatchObject(ended('API_KEY_INVALID'))
    await expect.poll(() => openStreams(admin)).toBe(0)
  })

  it('counts events that a slow reader missed, and sends the next ones', async () => {
    const stream = await ready(admin, { events: ['account.*'] })
    const { id } = await account(admin)
    expect(await stream.next()).toMatchObject({ event: 'event' })
    // 40 MB, far more than the buffers of the stream and of the connection.
    const flood = 200
    const latest = () => platform.services.events.latest(admin.organizationId)
    const before = await latest()
    await platform.query(
      `insert into kernel.event (organization_id, id, type, version, occurred_at, object, record_id, data)
       select organization_id, uuidv7(), 'account.updated', 1, occurred_at, object, record_id,
         jsonb_set(data, '{record,description}', to_jsonb(repeat('x', 200000)))
       from (select * from kernel.event where record_id = $1 limit 1) e cross join generate_series(1, $2)`,
      [id, flood],
    )
    await expect.poll(latest, { timeout: 20_000 }).toBe(before + flood)
    let [received, dropped] = [0, 0]
    while (received + dropped < flood) {
      const frame = (await stream.next())!
      if (frame.event === 'dropped') dropped += frame.data.count as number
      else received++
    }
    expect(dropped).toBeGreaterThan(20)
    expect(received + dropped).toBe(flood)
    await admin.rest.accountUpdate!({ id, body: { name: 'Afterwards' } })
    expect(await stream.next()).toMatchObject({ data: { data: { record: { name: 'Afterwards' } } } })
  })
})

describe('a page of another origin', () => {
  it('may listen with a key', async () => {
    const origin = { origin: 'https://tools.example' }
    const asked = {
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,x-api-key',
    }
    const url = `${platform.url}/v1/webhooks/listen`
    const preflight = await fetch(url, { method: 'OPTIONS', headers: { ...origin, ...asked } })
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([
      204,
      'content-type,x-api-key',
    ])
    const stream = await listen(platform, { ...admin.headers, ...origin }, { events: ['lead.*'] })
    expect(stream.response.headers.get('access-control-allow-origin')).toBe('*')
    expect(await stream.next()).toMatchObject({ event: 'ready', data: { events: ['lead.*'] } })
  })
})

describe('POST /v1/webhooks/listen/trigger', () => {
  it('sends the sample with test true to the streams of the organization that have selected it', async () => {
    const other = await platform.member({ organizationId: await platform.organization('Other'), role: 'OWNER' })
    const [all, leads, accounts, foreign] = [
      await ready(admin),
      await ready(admin, { events: ['lead.*'] }),
      await ready(admin, { events: ['account.*'] }),
      await ready(other),
    ]
    const events = () => platform.query('select 1 from kernel.event')
    const before = (await events()).length
    const { status, body } = await admin.rest.webhookListenTrigger!({ body: { type: 'lead.created' } })
    expect([status, body]).toEqual([
      200,
      { id: expect.stringMatching(/^evt_/) as string, type: 'lead.created', streams: 3 },
    ])
    const sample = {
      event: 'event',
      data: {
        id: body.id,
        type: 'lead.created',
        version: 1,
        occurredAt: platform.now.toISOString(),
        organizationId: admin.organizationId,
        data: expect.objectContaining({ object: 'lead' }) as object,
        test: true,
      },
    }
    expect(await all.next()).toEqual(sample)
    expect(await leads.next()).toEqual(sample)
    expect((await events()).length).toBe(before)
    await account(admin)
    await account(other)
    for (const stream of [accounts, foreign]) {
      expect(await stream.next()).toMatchObject({ data: { type: 'account.created' } })
    }
  })

  it('sends the sample of a custom event type of the organization', async () => {
    const stream = await ready(admin, { events: ['custom.*'] })
    const body = { apiName: 'machine_stopped', label: 'Machine stopped', schema: customSchema }
    expect((await admin.rest.customEventTypeCreate!({ body })).status).toBe(201)
    const type = 'custom.machine_stopped'
    const triggered = await admin.rest.webhookListenTrigger!({ body: { type } })
    expect(triggered.status).toBe(200)
    const { id } = triggered.body
    expect(await stream.next()).toMatchObject({
      event: 'event',
      data: { id, type, version: 1, test: true, data: { minutes: expect.any(Number) as number } },
    })
    const other = await platform.member({ organizationId: await platform.organization('Other'), role: 'OWNER' })
    expect((await other.rest.webhookListenTrigger!({ body: { type } })).body.code).toBe('VALIDATION_FAILED')
    const published = await admin.rest.customEventPublish!({
      apiName: 'machine_stopped',
      body: { data: { minutes: 7 } },
    })
    expect(published.status).toBeLessThan(300)
    expect(await stream.next()).toMatchObject({ event: 'event', data: { type, data: { minutes: 7 } } })
  })

  it('is refused for an unknown type, a missing scope and other roles', async () => {
    const { organizationId } = admin
    const answers = []
    const member = await platform.member({ organizationId })
    const reader = await platform.member({ organizationId, role: 'OWNER', scopes: ['READ_WEBHOOKS'] })
    for (const [caller, body] of [
      [admin, { type: 'lead.nothing' }],
      [admin, { type: 'lead.*' }],
      [admin, {}],
      [member, { type: 'lead.created' }],
      [reader, { type: 'lead.created' }],
    ] as const) {
      const answer = await caller.rest.webhookListenTrigger!({ body })
      answers.push([answer.status, answer.body.code])
    }
    expect(answers).toEqual([
      [400, 'VALIDATION_FAILED'],
      [400, 'VALIDATION_FAILED'],
      [400, 'VALIDATION_FAILED'],
      [403, 'PERMISSION_DENIED'],
      [403, 'API_KEY_SCOPE_INSUFFICIENT'],
    ])
  })

  it('is idempotent', async () => {
    const stream = await ready(admin, { events: ['lead.*'] })
    const headers = { 'idempotency-key': 'once' }
    const [one, again] = [
      await admin.rest.webhookListenTrigger!({ body: { type: 'lead.created' }, headers }),
      await admin.rest.webhookListenTrigger!({ body: { type: 'lead.created' }, headers }),
    ]
    expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([one.body, 'true'])
    expect(await stream.next()).toMatchObject({ data: { id: one.body.id } })
    const { body } = await admin.rest.webhookListenTrigger!({ body: { type: 'lead.updated' } })
    expect(await stream.next()).toMatchObject({ data: { id: body.id } })
  })
})
