import { Agent, get } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { aProcess } from '../processes.ts'
import { aFolder, startedMain as started } from './main-process.ts'

describe('SIGTERM', () => {
  it.each([
    ['answers requests on open keep-alive connections, then exits with 0', true, 8],
    ['answers new connections until it stops listening, and resets no connection', false, 32],
    // The operating system resets a connection whose handshake ends in the microseconds before the port is closed.
  ])('%s', { retry: 3 }, async (_, keepAlive, clients) => {
    const process = await started({ DATA_DIR: await aFolder(), DEMO: 'off' })
    const agent = new Agent({ keepAlive, maxSockets: clients })
    const ask = () =>
      new Promise<number>((resolve, reject) => {
        const asked = get(`${process.url}/v1/accounts`, { agent }, (answer) => {
          answer.resume().once('end', () => resolve(answer.statusCode!))
        })
        asked.once('error', reject)
      })
    let stopping: Promise<number | null> | undefined
    let asked = 0
    // Busy clients never leave a connection idle: each sends the next request immediately until the port is closed.
    const client = async (): Promise<string> => {
      for (;;) {
        const answered = await ask().catch(({ code }: NodeJS.ErrnoException) => code!)
        if (typeof answered === 'string') return answered
        expect(answered).toBe(401)
        if (++asked === 200) stopping = process.stop()
      }
    }
    const ends = await Promise.all(Array.from({ length: clients }, client))
    expect(new Set(ends)).toEqual(new Set(['ECONNREFUSED']))
    expect(await stopping).toBe(0)
  })

  it('reaches the process through `npm start`', async () => {
    const process = await aProcess(['npm', 'start'], { DATA_DIR: await aFolder(), DEMO: 'off', LOG_LEVEL: 'info' })
    onTestFinished(() => process.kill())
    await process.start()
    expect(await process.stop()).toBe(0)
    expect(process.output()).toContain('"signal":"SIGTERM","msg":"stopping"')
    await expect(fetch(process.url)).rejects.toThrow('fetch failed')
  })
})
