import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { Outbound, type OutboundError } from './outbound.ts'
import type { ResolveAll } from './vetted-lookup.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** Servers at these addresses of the loopback network, all at one port, that answer with the address at which they were called. */
async function serversAt(...addresses: string[]) {
  const called: string[] = []
  let port = 0
  for (const address of addresses) {
    const server = createServer((_req, res) => {
      called.push(address)
      res.end(address)
    })
    server.listen(port, address)
    await once(server, 'listening')
    ;({ port } = server.address() as AddressInfo)
    closers.push(() => {
      server.closeAllConnections()
      server.close()
    })
  }
  return { called, url: `http://rebinding.example:${port}/` }
}

/** A name server whose answers change: the addresses of its first look-up, then those of the second one, and so on. */
function changing(...answers: string[][]) {
  const lookups: string[] = []
  const lookup: ResolveAll = (hostname, _options, done) => {
    const addresses = answers[Math.min(lookups.length, answers.length - 1)]!
    lookups.push(hostname)
    done(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    )
  }
  return { lookups, lookup }
}

const [allowed, secret] = ['127.0.0.2', '127.0.0.1']

describe('a name whose addresses change', () => {
  it('is looked up once for a connection, to the address that was checked', async () => {
    const { url, called } = await serversAt(secret, allowed)
    const { lookups, lookup } = changing([allowed], [secret])
    const outbound = new Outbound([allowed], lookup)
    closers.push(() => outbound.close())
    const answer = await outbound.send({ method: 'GET', url })
    expect([answer.body.toString(), called, lookups]).toEqual([allowed, [allowed], ['rebinding.example']])
  })

  it.each([
    ['a later look-up', [[allowed], [secret]]],
    ['the same look-up, second', [[allowed], [allowed, secret]]],
    ['the same look-up, first', [[allowed], [secret, allowed]]],
  ])('is refused as soon as %s answers 127.0.0.1, which is not called', async (_, answers) => {
    const { url, called } = await serversAt(secret, allowed)
    const outbound = new Outbound([allowed], changing(...answers).lookup)
    closers.push(() => outbound.close())
    const send = () => outbound.send({ method: 'GET', url })
    expect((await send()).status).toBe(200)
    const refusal = await send().then(
      () => 'answered',
      (error: unknown) => (error as OutboundError).reason,
    )
    expect([refusal, called]).toEqual(['ADDRESS_REFUSED', [allowed]])
  })

  it('is refused for mail servers too, whichever of its addresses is private', async () => {
    const { lookup } = changing([allowed], [allowed, secret])
    const outbound = new Outbound([allowed], lookup)
    expect(await outbound.vettedAddress('mail.example')).toBe(allowed)
    await expect(outbound.vettedAddress('mail.example')).rejects.toMatchObject({ reason: 'ADDRESS_REFUSED' })
  })

  it('keeps a connection that was checked, without another look-up', async () => {
    const { url, called } = await serversAt(secret, allowed)
    const { lookups, lookup } = changing([allowed], [secret])
    const outbound = new Outbound([allowed], lookup)
    closers.push(() => outbound.close())
    await outbound.send({ method: 'GET', url, keepAlive: true })
    // The connection is free in the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    const answer = await outbound.send({ method: 'GET', url, keepAlive: true })
    expect([answer.body.toString(), called, lookups.length]).toEqual([allowed, [allowed, allowed], 1])
  })
})
