import 'reflect-metadata'
import { describe, expect, it } from 'vitest'
import { supportCase as aCaseOf } from '../../../test/builders.ts'
import { unchanged } from '../../../test/expectations.ts'
import { usePlatform } from '../../../test/platform.ts'
import { type Case } from '../../support/case/case.ts'
import { supportCase } from '../../support/case/case.record.ts'
import type { Refusal } from '../errors.ts'
import { inTransaction, requestContext, systemContext, type RequestContext } from '../request.ts'
import { recordsOf } from './records-of.ts'
import { save } from './save.ts'

const platform = usePlatform()
const cases = recordsOf(supportCase)

async function createAndReadCase(): Promise<{ ctx: RequestContext; previous: Case }> {
  const member = await platform.member()
  const { caller } = systemContext(platform.services, member.organizationId)
  const acting = { ...caller, kind: 'SESSION', userId: member.userId } as const
  const ctx = requestContext({ caller: acting, requestId: 'request', idempotency: null }, platform.services)
  const { id } = await aCaseOf(member)
  return { ctx, previous: await cases.require(ctx, id as string) }
}

const escalate = (ctx: RequestContext, previous: Case) =>
  save(ctx, supportCase, { operation: 'UPDATE', previous, values: {}, events: ['case.escalated'] })

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: Refusal) => error.code as string,
  )

describe('save of events without a changed column', () => {
  it.each([
    ['alone', escalate],
    [
      'in a transaction',
      (ctx: RequestContext, previous: Case) => inTransaction(ctx, (inner) => escalate(inner, previous)),
    ],
  ])('writes them %s, and the record keeps its version and updatedAt', async (_, write) => {
    const { ctx, previous } = await createAndReadCase()
    expect(await write(ctx, previous)).toEqual(previous)
    expect(await cases.require(ctx, previous.id)).toEqual(previous)
    const [, event, ...more] = await platform.eventsOf(previous.id)
    expect([event!.type, event!.actorId, more]).toEqual(['case.escalated', ctx.caller.userId, []])
    const { version, escalationLevel } = previous
    expect(event!.data).toMatchObject({
      record: { version },
      previous: { version },
      changedFields: [],
      escalationLevel,
    })
  })

  it('is refused after a concurrent change, and writes nothing', async () => {
    const { ctx, previous } = await createAndReadCase()
    await cases.update(ctx, previous.id, { subject: 'Changed' })
    expect(await unchanged(platform, () => codeOf(escalate(ctx, previous)))).toBe('VERSION_CONFLICT')
  })

  it('waits for a concurrent change and is refused when it commits', async () => {
    const { ctx, previous } = await createAndReadCase()
    let late: Promise<string> | undefined
    await platform.inSeparateTransaction(async (sql) => {
      await sql.query('update support."case" set version = version + 1 where id = $1', [previous.id])
      late = codeOf(escalate(ctx, previous))
      await expect.poll(() => platform.waitingForLocks(), { interval: 1, timeout: 4000 }).toBe(1)
    })
    expect(await late).toBe('VERSION_CONFLICT')
    expect(await platform.eventTypesOf(previous.id)).toEqual(['case.created'])
  })

  it('writes nothing without events', async () => {
    const { ctx, previous } = await createAndReadCase()
    const nothing = { operation: 'UPDATE', previous, values: {}, events: [] } as const
    expect(await unchanged(platform, () => save(ctx, supportCase, nothing))).toEqual(previous)
  })
})
