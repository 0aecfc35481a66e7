import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isSignedBody } from '../../subgraphs/kernel/payment/webhook-signature.ts'
import { account } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { useHookReceiver } from './hook-receiver.ts'
import { answerJson, Service } from './service.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.0/8' })
const receiver = useHookReceiver()
const hourMs = 3_600_000
let service: Service
let owner: Member

beforeAll(async () => {
  service = await Service.start()
  service.respond = (res) => answerJson(res, 200, {})
  owner = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
})
afterAll(() => service.close())

interface Signed {
  readonly signature: string
  readonly text: string
}

interface Kind {
  readonly name: string
  readonly operation: string
  readonly create: () => Promise<{ readonly id: string; readonly secret: string }>
  /** Makes the platform send one request. */
  readonly send: (id: string) => Promise<Signed>
}

const made = (operation: string, body: object) => async () => {
  const answer = await owner.rest[operation]!({ body } as never)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}
const schema = { type: 'object' }
const kinds: readonly Kind[] = [
  {
    name: 'a before-save hook',
    operation: 'beforeSaveHookRegenerateSecret',
    create: () => made('beforeSaveHookCreate', { objectType: 'ACCOUNT', name: 'Hook', url: receiver.url })(),
    send: async () => {
      await account(owner)
      const { headers, text } = receiver.received.pop()!
      return { signature: String(headers['x-service-signature']), text }
    },
  },
  {
    name: 'a custom action',
    operation: 'customActionRegenerateSecret',
    create: () => {
      const url = `${service.origin}/act`
      return made('customActionCreate', {
        apiName: 'act',
        label: 'Act',
        url,
        inputSchema: schema,
        outputSchema: schema,
      })()
    },
    send: async (id) => {
      expect((await owner.rest.customActionExecute!({ id, body: {} })).body.status).toBe('SUCCEEDED')
      const { headers, text } = service.take().pop()!
      return { signature: String(headers['x-service-signature']), text }
    },
  },
]

describe.each(kinds)('the secret of $name', ({ operation, create, send }) => {
  it('signs beside the one before it until the overlap ends, and is in no other answer', async () => {
    const { id, secret: first } = await create()
    const accepted = async (secrets: readonly string[]): Promise<boolean[]> => {
      const { signature, text } = await send(id)
      return secrets.map((secret) => isSignedBody(secret, signature, Buffer.from(text), platform.now))
    }
    const regenerated = await owner.rest[operation]!({ id, body: { overlapHours: 168 } } as never)
    const { secret: second, previousSecretExpiresAt } = regenerated.body
    expect([regenerated.status, Date.parse(previousSecretExpiresAt) - platform.now.getTime()]).toEqual([
      200,
      168 * hourMs,
    ])
    expect(await accepted([first, second])).toEqual([true, true])

    const query = `mutation { ${operation}(id: "${id}") { secret previousSecretExpiresAt } }`
    const { secret: third, previousSecretExpiresAt: until } = (await owner.graphql(query)).body.data[operation]
    expect(Date.parse(until) - platform.now.getTime()).toBe(24 * hourMs)
    expect(await accepted([first, second, third])).toEqual([false, true, true])
    platform.advanceClock(24 * hourMs - 1)
    expect(await accepted([second, third])).toEqual([true, true])
    platform.advanceClock(1)
    expect(await accepted([second, third])).toEqual([false, true])

    const { secret: last } = (await owner.rest[operation]!({ id, body: { overlapHours: 0 } } as never)).body
    expect(await accepted([third, last])).toEqual([false, true])
    const texts = JSON.stringify([
      await platform.eventsOf(id),
      await platform.query('select * from identity.audit_entry where organization_id = $1', [owner.organizationId]),
      (await owner.rest[operation.replace('RegenerateSecret', '')]!({ id } as never)).body,
    ])
    for (const secret of [first, second, third, last]) expect(texts).not.toContain(secret)
    expect(texts).not.toContain('sealed')
  })

  it('stays with an overlap out of bounds, and for everybody but administrators', async () => {
    const [row] = await platform.query<{ id: string }>(
      `select id from extensions.${operation.startsWith('custom') ? 'custom_action' : 'before_save_hook'} where organization_id = $1`,
      [owner.organizationId],
    )
    const { id } = row!
    const member = await platform.member({ organizationId: owner.organizationId })
    const before = await platform.fingerprint(owner.organizationId)
    for (const overlapHours of [-1, 169, 1.5]) {
      const { status, body } = await owner.rest[operation]!({ id, body: { overlapHours } } as never)
      expect([status, body.code, body.errors[0].path]).toEqual([400, 'VALIDATION_FAILED', 'overlapHours'])
    }
    expect((await member.rest[operation]!({ id, body: {} } as never)).status).toBe(403)
    expect(await platform.fingerprint(owner.organizationId)).toBe(before)
  })
})
