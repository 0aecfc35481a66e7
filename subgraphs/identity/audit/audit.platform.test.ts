import { describe, expect, it } from 'vitest'
import { newId } from '../../kernel/ids.ts'
import { inTransaction, requestContext, systemContext, type RequestContext } from '../../kernel/request.ts'
import { anonymous, goodPassword, useIdentity } from '../identity.fixture.ts'
import { aScenario } from './scenario.fixture.ts'
import { apiKey } from '../api-key/api-key.record.ts'
import { createApiKey } from '../api-key/api-key.actions.ts'
import { addTeam } from '../team/team.actions.ts'
import { save } from '../../kernel/record/save.ts'
import type { TrackedObject } from '../../kernel/record/event-types.ts'
import { writeChange } from '../../kernel/record/write-change.ts'
import { auditRecord } from './audit.ts'

const world = useIdentity()
const entriesOf = (targetId: string) =>
  world.query('select * from identity.audit_entry where target_id = $1 order by created_at, id', [targetId])

async function aContext() {
  const { id: organizationId } = await world.anOrganization()
  const caller = { ...anonymous, kind: 'SESSION', organizationId, userId: newId(), credentialId: newId() } as const
  return requestContext({ caller, requestId: 'request-1', idempotency: null }, world.services)
}

interface TestRecord {
  readonly id: string
  readonly name: string
  readonly secretHash: string
}

const testRecord: TrackedObject<TestRecord> = { object: 'api_key', audit: auditRecord('api_key', (record) => record) }

/** Writes one audit entry without changing a row. */
async function writeEntry(ctx: RequestContext): Promise<string> {
  const next = { id: newId(), name: 'Sync', secretHash: 'x' }
  await writeChange(ctx, testRecord, { operation: 'CREATE', previous: null, next }, () => 'select 1')
  return next.id
}

describe('an audit entry', () => {
  it('stores actor, action, target, IP address and user agent', async () => {
    const ctx = await aContext()
    const id = await writeEntry(ctx)
    const { organizationId, userId, credentialId } = ctx.caller
    expect(await entriesOf(id)).toEqual([
      {
        organization_id: organizationId,
        id: expect.any(String),
        created_at: world.now.toISOString(),
        actor_id: userId,
        actor_kind: 'SESSION',
        credential_id: credentialId,
        ip: '203.0.113.7',
        user_agent: 'vitest',
        request_id: 'request-1',
        action: 'api_key.created',
        target_type: 'api_key',
        target_id: id,
        before: null,
        after: { id, name: 'Sync' },
      },
    ])
  })

  it('names no actor for the platform itself', async () => {
    const organization = await world.anOrganization()
    const id = await writeEntry(systemContext(world.services, organization.id))
    expect(await entriesOf(id)).toMatchObject([{ actor_id: null, actor_kind: 'SYSTEM', ip: null, user_agent: null }])
  })

  it('is rolled back with the transaction of the change', async () => {
    const ctx = await aContext()
    let id = ''
    const failing = inTransaction(ctx, async (inner) => {
      id = await writeEntry(inner)
      throw new Error('undone')
    })
    await expect(failing).rejects.toThrow('undone')
    expect(await entriesOf(id)).toEqual([])
  })
})

interface Written {
  readonly event: string
  readonly action: string
  readonly isOneStatement: boolean
}

/** Each event of a record with its audit entry; rows of one statement have the same transaction and command. */
const writtenWith = (table: string, id: string) =>
  world.query<Written>(
    `select e.type as event, a.action, (e.xmin::text, e.cmin::text) = (a.xmin::text, a.cmin::text) and (e.xmin::text, e.cmin::text) = (t.xmin::text, t.cmin::text) as "isOneStatement"
     from ${table} t join kernel.event e on e.record_id = t.id join identity.audit_entry a on a.target_id = t.id::text
     where t.id = $1`,
    [id],
  )

describe('the audit entry of a change', () => {
  it('is written by the statement that writes the row and its event', async () => {
    const organization = await world.anOrganization()
    const ctx = systemContext(world.services, organization.id)
    const team = await addTeam(ctx, { name: 'Sales', memberIds: [] })
    const owner = await world.aUser(organization.id)
    const key = await createApiKey(ctx, { name: 'Sync', scopes: ['*'], ownerId: owner.id })
    const one = { isOneStatement: true }
    expect([
      await writtenWith('identity.organization', organization.id),
      await writtenWith('identity.team', team.id),
      await writtenWith('identity.api_key', key.id),
    ]).toEqual([
      [{ event: 'organization.created', action: 'organization.created', ...one }],
      [{ event: 'team.created', action: 'team.created', ...one }],
      [{ event: 'api_key.created', action: 'api_key.created', ...one }],
    ])
  })

  it('is written by the statement that writes the row, also when the change has no event', async () => {
    const scenario = await aScenario(world)
    const { organizationId, personId } = scenario
    const isWrittenWith = async (action: string, table: string, condition: string) => {
      const rows = await world.query(
        `select 1 from identity.audit_entry a join ${table} t on (a.xmin::text, a.cmin::text) = (t.xmin::text, t.cmin::text)
         where a.action = $1 and a.organization_id = $2 and ${condition}`,
        [action, organizationId],
      )
      expect([action, rows.length]).toEqual([action, 1])
    }
    const installation = await scenario.connectedApp()
    await isWrittenWith('oauth_grant.created', 'identity.oauth_grant', 't.id::text = a.target_id')
    await scenario.run(`mutation { connectedAppUpdate(id: "${installation}", input: {settings: {a: 1}}) { id } }`)
    await isWrittenWith('connected_app.updated', 'identity.oauth_installation', 't.id::text = a.target_id')
    const invited = await scenario.invited()
    await isWrittenWith('user.invited', 'identity.app_user', `t.id = '${invited}'`)
    const input = `{currentPassword: "${goodPassword}", newPassword: "Better horse 8!"}`
    await scenario.run(`mutation { authChangePassword(input: ${input}) { accessToken } }`)
    await isWrittenWith('user.password_changed', 'identity.person', `t.id = '${personId}'`)
  })

  it('is written also for a change that has only events, with the action of the change', async () => {
    const { id: organizationId } = await world.anOrganization()
    const ctx = systemContext(world.services, organizationId)
    const owner = await world.aUser(organizationId)
    const previous = await createApiKey(ctx, { name: 'Sync', scopes: ['*'], ownerId: owner.id })
    const rotated = { events: ['api_key.rotated'], action: 'api_key.noticed' }
    await save(ctx, apiKey, { operation: 'UPDATE', previous, values: {}, ...rotated })
    expect((await world.eventsOf(previous.id)).slice(1)).toEqual(['api_key.rotated'])
    expect((await entriesOf(previous.id)).slice(1)).toMatchObject([
      { action: 'api_key.noticed', before: {}, after: {} },
    ])
  })

  it('is not written when the change is refused', async () => {
    const { id: organizationId } = await world.anOrganization()
    const ctx = systemContext(world.services, organizationId)
    const team = await addTeam(ctx, { name: 'Sales', memberIds: [] })
    const wrong = addTeam(ctx, { id: team.id, name: 'Sales', memberIds: [] })
    await expect(wrong).rejects.toMatchObject({ code: 'UNIQUE_VIOLATION' })
    expect((await entriesOf(team.id)).length).toBe(1)
    expect(await world.eventsOf(team.id)).toEqual(['team.created'])
  })
})
