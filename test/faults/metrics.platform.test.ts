import { describe, expect, it, onTestFinished } from 'vitest'
import { queues } from '../../subgraphs/all.ts'
import { limitsOf } from '../../subgraphs/kernel/database/tenant-database.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { openLog } from '../../subgraphs/kernel/log.ts'
import { measureBacklog } from '../../subgraphs/kernel/operate/backlog.ts'
import { usePlatform } from '../platform.ts'

const connections = 5
let metricsUrl = ''
const log = openLog('info', {
  write: (line: string) => void (metricsUrl = (JSON.parse(line) as { metricsUrl?: string }).metricsUrl ?? metricsUrl),
})
const platform = usePlatform({ METRICS_PORT: '0', DATABASE_CONNECTIONS: String(connections) }, undefined, log)

/** The value of a metric with these labels; undefined if it is absent. The metrics are collected once a second. */
async function metric(series: string): Promise<number | undefined> {
  const text = await (await fetch(`${metricsUrl}/metrics`)).text()
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length))
}

const seen = (series: string) => expect.poll(() => metric(series), { timeout: 10_000 })

describe('the private port', () => {
  it('serves metrics and health checks, and the public port has no metrics', async () => {
    const answers = await Promise.all(
      ['/metrics', '/health/live', '/health/ready', '/'].map((path) => fetch(metricsUrl + path)),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 404])
    expect(await answers[2]!.json()).toEqual({ status: 'ready' })
    const atPublicPort = ['/metrics', '/health/ready'].map(async (path) => (await fetch(platform.url + path)).status)
    expect(await Promise.all(atPublicPort)).toEqual([404, 200])
  })

  it('names the versions of the process', async () => {
    const text = await (await fetch(`${metricsUrl}/metrics`)).text()
    expect(text).toMatch(/^crm_build_info\{version="\d+\.\d+\.\d+",node="v\d+[^"]*"\} 1$/m)
    const own = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!)
    expect(own.filter((name) => !/^(crm|process|nodejs)_/.test(name))).toEqual([])
  })
})

describe('requests', () => {
  it('are counted by operation, status and code, whatever names and values the client sends', async () => {
    const { rest, graphql } = await platform.member()
    expect((await rest.caseCreate!({ body: { subject: 'Help' } })).status).toBe(201)
    for (const name of ['A', 'B']) {
      await graphql(`query ${name} { caseList { total } }`)
      expect((await rest.case!({ id: newId() })).status).toBe(404)
    }
    await fetch(`${platform.url}/v1/nothing/${newId()}`)
    await seen('crm_requests_total{operation="caseCreate",status="201",code=""}').toBe(1)
    await seen('crm_requests_total{operation="caseList",status="200",code=""}').toBe(2)
    await seen('crm_requests_total{operation="case",status="404",code="NOT_FOUND"}').toBe(2)
    await seen('crm_requests_total{operation="unknown",status="404",code="NOT_FOUND"}').toBe(1)
    expect(await metric('crm_http_request_duration_seconds_count{surface="graphql",status="200"}')).toBe(2)
  })

  it('that are refused are counted by code, also those that are no HTTP', async () => {
    const before = (await metric('crm_refusals_total{code="MALFORMED_REQUEST"}')) ?? 0
    const { hostname, port } = new URL(platform.url)
    const { connect } = await import('node:net')
    const socket = connect(Number(port), hostname, () => socket.write('hello\r\n\r\n'))
    socket.resume()
    onTestFinished(() => void socket.destroy())
    await seen('crm_refusals_total{code="MALFORMED_REQUEST"}').toBe(before + 1)
  })

  it('show the calls of subgraphs, with their outcome', async () => {
    const series = 'crm_subgraph_call_duration_seconds_count{subgraph="commerce",outcome="answered"}'
    const { rest } = await platform.member()
    const before = (await metric(series)) ?? 0
    await rest.productList!()
    await seen(series).toBe(before + 1)
  })
})

describe('the pools', () => {
  it('show the connections that requests use, and the statements that wait for them', async () => {
    const { connectionsPerTenant } = limitsOf(connections)
    expect([await metric('crm_database_connections_max{pool="requests"}'), connectionsPerTenant]).toEqual([5, 4])
    const { rest } = await platform.member()
    const { body } = await rest.accountCreate!({ body: { name: 'Locked' } })
    const held = Promise.withResolvers<void>()
    const holds = Promise.withResolvers<void>()
    const holding = platform.inSeparateTransaction(async (sql) => {
      await sql.query('select from crm.account where id = $1 for update', [body.id])
      holds.resolve()
      await held.promise
    })
    await holds.promise
    const writes = Array.from({ length: connectionsPerTenant + 2 }, (_, number) =>
      rest.accountUpdate!({ id: body.id, body: { phone: `+47 ${number}` } }),
    )
    await seen('crm_database_connections{pool="requests",state="busy"}').toBe(connectionsPerTenant)
    await seen('crm_database_waiting{pool="requests"}').toBe(2)
    expect(await metric('crm_database_waiting{pool="platform"}')).toBe(0)
    held.resolve()
    await holding
    const statuses = (await Promise.all(writes)).map(({ status }) => status)
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([])
    await seen('crm_database_connections{pool="requests",state="busy"}').toBe(0)
  })
})

describe('the work of workers', () => {
  it('shows the depth and the lag of the queues', async () => {
    const { services } = platform
    await platform.query(
      `insert into kernel.mail (id, recipient, created_at, expires_at, next_attempt_at, attempts)
       select gen_random_uuid(), 'ann@example.com', now(), now(), now() - interval '90 seconds', number % 2
       from generate_series(1, 5) number`,
    )
    onTestFinished(async () => {
      await platform.query('delete from kernel.mail')
    })
    onTestFinished(measureBacklog(services.database, queues))
    await seen('crm_queue_items{queue="mail",lane="fresh"}').toBe(2)
    expect(await metric('crm_queue_items{queue="mail",lane="retry"}')).toBe(3)
    const lag = (await metric('crm_queue_lag_seconds{queue="mail"}'))!
    expect([lag >= 90, lag < 120]).toEqual([true, true])
    expect(await metric('crm_queue_items{queue="events",lane="fresh"}')).toEqual(expect.any(Number))
  })
})
