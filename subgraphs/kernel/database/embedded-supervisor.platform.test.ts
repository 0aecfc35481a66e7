import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import type { RunningServer } from './embedded-server.ts'
import { supervised } from './embedded-supervisor.ts'
import { ask, log, place, serverPid, useFreshPlace } from './embedded.fixture.ts'
import { startEmbeddedPostgres } from './embedded.ts'

const patience = { timeout: 60_000, interval: 20 }
const notLost = 'not lost'

describe('startEmbeddedPostgres', () => {
  useFreshPlace()

  it('restarts a killed server twice, with the same address', async () => {
    // The path is longer than the name of a socket may be.
    place.dataDir = join(place.parent, 'deep-'.repeat(20), 'data')
    const server = await startEmbeddedPostgres({ dataDir: place.dataDir, log })
    await ask(server.url, 'CREATE TABLE kept AS SELECT 7 AS seven')
    for (let time = 0; time < 2; time++) {
      const before = await serverPid()
      process.kill(before, 'SIGKILL')
      await vi.waitFor(
        async () => expect(await ask(server.url, 'SELECT seven FROM kept')).toEqual({ seven: 7 }),
        patience,
      )
      expect(await serverPid()).not.toBe(before)
    }
    expect(await Promise.race([server.lost, delay(0, notLost)])).toBe(notLost)
    await server.stop()
  })
})

describe('supervised', () => {
  it('stops a server that is being restarted', async () => {
    const first = Promise.withResolvers<string>()
    const second = Promise.withResolvers<string>()
    const starting = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const stops: string[] = []
    const server = (name: string, { promise, resolve }: PromiseWithResolvers<string>): RunningServer => ({
      ended: promise,
      stop: async () => {
        stops.push(name)
        resolve('stopped')
      },
    })
    const startAgain = async () => {
      begun.resolve()
      await starting.promise
      return server('second', second)
    }
    const running = supervised(server('first', first), startAgain, log)
    first.resolve('SIGKILL')
    await begun.promise
    const stopped = running.stop()
    starting.resolve()
    await stopped
    expect(stops.at(-1)).toBe('second')
  })
})
