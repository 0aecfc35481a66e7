import { describe, expect, it } from 'vitest'
import { newId } from '../../kernel/ids.ts'
import { inTransaction, requestContext, systemContext } from '../../kernel/request.ts'
import { anonymous, useIdentity } from '../identity.fixture.ts'
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
  it('says who did what to what, from where', async () => {
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

  it('goes with the transaction that makes the change', async () => {
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
