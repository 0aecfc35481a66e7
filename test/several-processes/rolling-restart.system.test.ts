import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createClient } from 'graphql-ws'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import { hasNginx, startNginx } from '../nginx.ts'
import { usePlatform, type Member } from '../platform.ts'
import { aProcess, type Process } from '../processes.ts'
import { hasRedisServer, startRedis } from '../redis-server.ts'

const callerKey = 'c'.repeat(32)
const platform = usePlatform({ CALLER_KEY: callerKey, OUTBOUND_ALLOW: '127.0.0.1' })

async function started(
  command: readonly string[],
  environment: Record<string, string>,
  readyText?: string,
): Promise<Process> {
  const all = {
    DATABASE_URL: platform.services.databaseUrl,
    DATA_DIR: platform.dataDir,
    CALLER_KEY: callerKey,
    DATABASE_CONNECTIONS: '4',
    IP_LIMITS: 'off',
    LOG_LEVEL: 'warn',
    ...environment,
  }
  const process = await aProcess(['bin/run', ...command], all, readyText)
  onTestFinished(() => process.kill())
  await process.start()
  return process
}

describe('a gateway that is told to stop', () => {
  it('is not ready but still serves, and stops after DRAIN_SECONDS or at a second signal', async () => {
    const { headers } = await platform.member()
    const gateway = await started(['main', 'gateway'], { DRAIN_SECONDS: '300' })
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

describe.runIf(hasNginx && hasRedisServer)('two gateways behind nginx with the settings of docker-compose.yml', () => {
  it('two processes of a subgraph, and a worker restart one after another: no request fails, no event is lost or sent twice', async () => {
    const redis = await startRedis()
    onTestFinished(() => redis.stop())
    const env = { DRAIN_SECONDS: '1', REDIS_URL: redis.url, OUTBOUND_ALLOW: '127.0.0.1' }
    const supports = await Promise.all([1, 2].map(() => started(['main', 'subgraph', 'support'], env)))
    const urls = { SUBGRAPH_SUPPORT_URL: supports.map(({ url }) => url).join() }
    const gateways = await Promise.all([1, 2].map(() => started(['main', 'gateway'], { ...env, ...urls })))
    const worker = await started(['worker'], { ...env, ...urls, LOG_LEVEL: 'info' }, 'the worker runs')
    const nginx = await startNginx([gateways[0]!.url, gateways[1]!.url])
    onTestFinished(() => nginx.stop())
    const delivered = await receiver()
    const subscribed = await subscription(nginx.url)

    const ending = new AbortController()
    const clients = [reads, writes].map((send) => send(nginx.url, ending.signal))
    for (const round of [0, 1]) {
      const restarting = [gateways[round]!, supports[round]!, ...(round === 0 ? [worker] : [])]
      expect(await Promise.all(restarting.map((process) => process.stop()))).toEqual(restarting.map(() => 0))
      await Promise.all(restarting.map((process) => process.start()))
    }
    ending.abort()
    const [read, written] = (await Promise.all(clients)) as [string[], string[]]
    expect(new Set(read)).toEqual(new Set(['200']))
    expect(new Set(written)).toEqual(new Set(['201']))
    // Nothing was written twice, and everybody who listens has heard of each case once.
    const rows = await platform.query<{ id: string }>(
      `select id from support."case" where subject like 'Rolling %' order by id`,
    )
    expect(rows).toHaveLength(written.length)
    const ids = rows.map(({ id }) => id)
    for (const heard of [subscribed, delivered]) {
      await vi.waitFor(() => expect(heard.length).toBeGreaterThanOrEqual(ids.length), { timeout: 60_000 })
      expect(heard.toSorted()).toEqual(ids)
    }
  }, 240_000)
})

/** Subscribes to cases as the guide says. Returns the ids of the created ones, which grow. */
async function subscription(url: string): Promise<string[]> {
  const client = createClient({
    url: `${url.replace('http', 'ws')}/v1/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: await credential(),
    retryAttempts: Infinity,
    shouldRetry: () => true,
  })
  onTestFinished(() => void client.dispose())
  const query =
    'subscription ($after: String) { recordChanged(object: CASE, after: $after) { cursor type recordId case { id } } }'
  const variables = { after: '0' }
  const ids: string[] = []
  interface Change {
    readonly recordChanged: { readonly cursor: string; readonly type: string; readonly recordId: string }
  }
  client.subscribe<Change>(
    { query, variables },
    {
      next({ data }) {
        const { cursor, type, recordId } = data!.recordChanged
        variables.after = cursor
        if (type === 'case.created') ids.push(recordId)
      },
      error: (error) => ids.push(error instanceof Error ? error.message : JSON.stringify(error)),
      complete: () => undefined,
    },
  )
  return ids
}

/** Registers a webhook for new cases. Returns the ids of the cases that it was told of, which grow. */
async function receiver(): Promise<string[]> {
  const ids: string[] = []
  const take = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    ids.push((JSON.parse(await text(req)) as { data: { record: { id: string } } }).data.record.id)
    res.writeHead(204).end()
  }
  const server = createServer((req, res) => void take(req, res))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const { rest } = await (member ??= platform.member({ role: 'OWNER' }))
  const { status, body } = await rest.webhookCreate!({ body: { name: 'Cases', url, events: ['case.created'] } })
  expect(status, JSON.stringify(body)).toBe(201)
  return ids
}

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
const credential = async () => (await (member ??= platform.member({ role: 'OWNER' }))).headers

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
