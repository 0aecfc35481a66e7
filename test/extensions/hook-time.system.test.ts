import { expect, it } from 'vitest'
import { usePlatform, type Member } from '../platform.ts'
import { useHookReceiver } from './hook-receiver.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.1' })
const receiver = useHookReceiver()

const aHook = async (owner: Member, name: string, given: object = {}): Promise<string> => {
  const hook = { objectType: 'ACCOUNT', name, url: receiver.url, timeoutMs: 5_000, failureMode: 'FAIL_OPEN', ...given }
  const { status, body } = await owner.rest['beforeSaveHookCreate']!({ body: hook })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id as string
}

it.each([
  ['one change', 1],
  ['two changes of one request', 2],
])('the hooks of %s have 15 s together, and those that had no time left have not failed', async (_, changes) => {
  const owner = await platform.member({ organizationId: await platform.organization('Slow hooks'), role: 'OWNER' })
  receiver.reset()
  // No hook answers.
  receiver.decide = () => undefined
  for (const name of ['One', 'Two', 'Three']) await aHook(owner, name)
  const last = await aHook(owner, 'Last', { failureMode: 'FAIL_CLOSED' })
  const creates = Array.from({ length: changes }, (_item, n) => `c${n}: accountCreate(input: { name: "A${n}" }) { id }`)
  const began = performance.now()
  const { body } = await owner.graphql(`mutation { ${creates.join(' ')} }`)
  const lastedMs = performance.now() - began

  expect(body.errors[0].extensions).toMatchObject({ code: 'HOOK_UNAVAILABLE', hook: 'Last' })
  expect(lastedMs).toBeGreaterThan(14_900)
  expect(lastedMs).toBeLessThan(19_000)
  expect([...new Set(receiver.received.map(({ hook }) => hook))]).toEqual(['One', 'Two', 'Three'])
  const accounts = 'select 1 from crm.account where organization_id = $1'
  expect(await platform.query(accounts, [owner.organizationId])).toEqual([])
  expect((await owner.rest['beforeSaveHook']!({ id: last })).body).toMatchObject({
    consecutiveFailures: 0,
    lastError: null,
  })
})
