import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inParallel, send } from '../requests/send.ts'
import { openAttackedProcess, type AttackedProcess } from './attacked-process.ts'
import { attacksOf, type Attack } from './attacks.ts'
import { longestWaitDuring } from './watchdog.ts'

/** Longest time that a request of another organization may wait because of an attack, in milliseconds. */
const waitMsMax = 250
/** Memory of the process after all attacks, in MB. */
const residentBytesMax = 900_000_000

let attacked: AttackedProcess

beforeAll(async () => {
  attacked = await openAttackedProcess()
})

afterAll(() => attacked?.close())

let addresses = 0
/** A client address that no request used before, so that the limits per address do not apply. */
const anotherAddress = (): string => `10.${1 + (++addresses >> 16)}.${(addresses >> 8) & 255}.${addresses & 255}`

const nobody = { organizationId: '', ownerId: '', email: '', accountId: '', headers: {} }
const names = attacksOf(nobody).map(({ name }) => name)

/** Sends the whole attack and returns the statuses of the responses. */
async function run({ times, width, request }: Attack): Promise<Set<number>> {
  const statuses = await inParallel(
    Array.from({ length: times }, (_, index) => index),
    async (index) => {
      const { headers, ...sent } = request(index)
      const from = { ...headers, 'X-Forwarded-For': anotherAddress() }
      return (await send(attacked.process.url, { ...sent, headers: from })).status
    },
    width,
  )
  return new Set(statuses)
}

describe('one organization attacks while another reads by id', () => {
  it.each(names)('%s: every request gets a documented response, and no read waits longer than 250 ms', async (name) => {
    const { process, attacker, otherTenant } = attacked
    const attack = attacksOf(attacker).find((other) => other.name === name)!
    const watchedRequest = {
      url: `${process.url}/v1/accounts/${otherTenant.accountId}`,
      headers: otherTenant.headers,
      fromManyAddresses: true,
    }
    const statuses = new Set<number>()
    const waits = await longestWaitDuring(
      watchedRequest,
      async () => {
        for (const status of await run(attack)) statuses.add(status)
      },
      waitMsMax,
    )
    expect([...statuses].filter((status) => !attack.statuses.includes(status))).toEqual([])
    expect(waits.count).toBeGreaterThan(0)
    expect(waits.failed).toBe(0)
    expect(waits.longestMs).toBeLessThanOrEqual(waits.allowedMs)
  })

  it('leaves the process within its memory limit and without an error in its log', async () => {
    const { text } = await send(attacked.process.url, { method: 'GET', path: '/metrics' })
    const [, resident] = /^process_resident_memory_bytes (\S+)/m.exec(text)!
    expect(Number(resident)).toBeLessThan(residentBytesMax)
    expect(attacked.process.output()).not.toMatch(/"level":(?:50|60)/)
  })
})
