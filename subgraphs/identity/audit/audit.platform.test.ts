import { describe, expect, it } from 'vitest'
import { newId } from '../../kernel/ids.ts'
import { inTransaction, requestContext, systemContext } from '../../kernel/request.ts'
import { anonymous, useIdentity } from '../identity.fixture.ts'
import { apiKey } from '../api-key/api-key.record.ts'
import { createApiKey } from '../api-key/api-key.actions.ts'
import { addTeam } from '../team/team.actions.ts'
import { save } from '../../kernel/record/save.ts'
import { appendAudit } from './audit.ts'

const world = useIdentity()
const entriesOf = (targetId: string) =>
  world.query('select * from identity.audit_entry where target_id = $1 order by created_at, id', [targetId])

async function aContext() {
  const { id: organizationId } = await world.anOrganization()
  const caller = { ...anonymous, kind: 'SESSION', organizationId, userId: newId(), credentialId: newId() } as const
  return requestContext({ caller, requestId: 'request-1', idempotency: null }, world.services)
}

describe('appendAudit', () => {
  it('stores actor, action, target, IP address and user agent', async () => {
    const ctx = await aContext()
    const target = { type: 'api_key', id: newId() }
    await appendAudit(ctx, { action: 'api_key.created', target, after: { name: 'Sync', secretHash: 'x' } })
    const { organizationId, userId, credentialId } = ctx.caller
    expect(await entriesOf(target.id)).toEqual([
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
        target_id: target.id,
        before: null,
        after: { name: 'Sync' },
      },
    ])
  })

  it('names no actor for the platform itself', async () => {
    const { id } = await world.anOrganization()
    const target = { type: 'plan', id: newId() }
    await appendAudit(systemContext(world.services, id), { action: 'plan.changed', target })
    expect(await entriesOf(target.id)).toMatchObject([
      { actor_id: null, actor_kind: 'SYSTEM', ip: null, user_agent: null },
    ])
  })

  it('is rolled back with the transaction of the change', async () => {
    const ctx = await aContext()
    const target = { type: 'api_key', id: newId() }
    const failing = inTransaction(ctx, async (inner) => {
      await appendAudit(inner, { action: 'api_key.revoked', target })
      throw new Error('undone')
    })
    await expect(failing).rejects.toThrow('undone')
    expect(await entriesOf(target.id)).toEqual([])
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
