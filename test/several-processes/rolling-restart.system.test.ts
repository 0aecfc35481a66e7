import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { hasNginx, startNginx } from '../nginx.ts'
import { usePlatform, type Member } from '../platform.ts'
import { aProcess, type Process } from '../processes.ts'

const callerKey = 'c'.repeat(32)
const platform = usePlatform({ CALLER_KEY: callerKey })

async function started(command: readonly string[], environment: Record<string, string>): Promise<Process> {
  const process = await aProcess(['bin/run', 'main', ...command], {
    DATABASE_URL: platform.services.databaseUrl,
    DATA_DIR: platform.dataDir,
    CALLER_KEY: callerKey,
    DATABASE_CONNECTIONS: '4',
    IP_LIMITS: 'off',
    LOG_LEVEL: 'warn',
    ...environment,
  })
  onTestFinished(() => process.kill())
  await process.start()
  return process
}

describe('a gateway that is told to stop', () => {
  it('is not ready but still serves, and stops after DRAIN_SECONDS or at a second signal', async () => {
    const { headers } = await platform.member()
    const gateway = await started(['gateway'], { DRAIN_SECONDS: '300' })
    const first = gateway.stop()
    await vi.waitFor(
      async () => {
        const answer = await fetch(`${gateway.url}/health/ready`)
        expect([answer.status, await answer.json()]).toEqual([
          503,
          { status: 'not ready', reasons: { process: 'is stopping' } },
        ])
      },
      { timeout: 10_000 },
    )
    const answer = await fetch(`${gateway.url}/v1/accounts`, { headers })
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close'])
    expect((await fetch(`${gateway.url}/health/live`)).status).toBe(200)
    expect([await gateway.stop(), await first]).toEqual([0, 0])
  })
})

describe.runIf(hasNginx)('two gateways behind nginx with the settings of docker-compose.yml', () => {
  it('and two processes of a subgraph restart one after another without a failed request', async () => {
    const draining = { DRAIN_SECONDS: '1' }
    const supports = await Promise.all([1, 2].map(() => started(['subgraph', 'support'], draining)))
    const urls = { SUBGRAPH_SUPPORT_URL: supports.map(({ url }) => url).join() }
    const gateways = await Promise.all([1, 2].map(() => started(['gateway'], { ...draining, ...urls })))
    const nginx = await startNginx([gateways[0]!.url, gateways[1]!.url])
    onTestFinished(() => nginx.stop())

    const ending = new AbortController()
    const clients = [reads, writes].map((send) => send(nginx.url, ending.signal))
    for (const round of [0, 1]) {
      const restarting = [gateways[round]!, supports[round]!]
      expect(await Promise.all(restarting.map((process) => process.stop()))).toEqual([0, 0])
      await Promise.all(restarting.map((process) => process.start()))
    }
    ending.abort()
    const [read, written] = (await Promise.all(clients)) as [string[], string[]]
    expect(new Set(read)).toEqual(new Set(['200']))
    expect(new Set(written)).toEqual(new Set(['201']))
    // Nothing was written twice.
    const [row] = await platform.query(`select count(*)::int as n from support."case" where subject like 'Rolling %'`)
    expect(row).toEqual({ n: written.length })
  }, 240_000)
})

/** Sends one request after another and returns what each was answered. */
async function answers(until: AbortSignal, next: (at: number) => Promise<Response>): Promise<string[]> {
  const statuses: string[] = []
  while (!until.aborted) {
    statuses.push(
      await next(statuses.length).then(
        async (answer) => (answer.ok ? (await answer.arrayBuffer(), '') : await answer.text()) || `${answer.status}`,
        (error: Error) => `${error.message}: ${String(error.cause)}`,
      ),
    )
  }
  return statuses
}

let member: Promise<Member> | undefined
const credential = async () => (await (member ??= platform.member())).headers

async function reads(url: string, until: AbortSignal): Promise<string[]> {
  const headers = await credential()
  return answers(until, (at) => fetch(`${url}/v1/${at % 2 ? 'cases' : 'accounts'}?limit=1`, { headers }))
}

async function writes(url: string, until: AbortSignal): Promise<string[]> {
  const headers = { ...(await credential()), 'content-type': 'application/json' }
  return answers(until, (at) =>
    fetch(`${url}/v1/cases`, { method: 'POST', headers, body: JSON.stringify({ subject: `Rolling ${at}` }) }),
  )
}
