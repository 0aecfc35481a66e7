import { once } from 'node:events'
import { Server } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { queryObjects } from 'node:v8'
import { expect, it } from 'vitest'
import { listenOn, stopAccepting } from './listen-on.ts'

class StoppedServer extends Server {}

async function startAndStop(): Promise<void> {
  const server = new StoppedServer()
  await listenOn(server, { host: '127.0.0.1', port: 0 })
  const closed = once(server, 'close')
  await stopAccepting(server)
  await closed
}

it('keeps nothing of a stopped server', async () => {
  await startAndStop()
  await nextTurn()
  expect(queryObjects(StoppedServer, { format: 'count' })).toBe(0)
})
