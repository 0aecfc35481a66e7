import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { usePlatform } from '../platform.ts'
import { aProcess, type Process } from '../processes.ts'
import { freePort } from '../redis-server.ts'
import { startTraceReceiver, type ReceivedSpan, type TraceReceiver } from '../trace-receiver.ts'

const callerKey = 'c'.repeat(32)
const platform = usePlatform({ CALLER_KEY: callerKey })
let receiver: TraceReceiver
let [gateway, support, worker]: Process[] = []
let [supportMetrics, workerMetrics] = ['', '']

beforeAll(async () => {
  receiver = await startTraceReceiver()
  const env = {
    DATABASE_URL: platform.services.databaseUrl,
    DATA_DIR: platform.dataDir,
    CALLER_KEY: callerKey,
    IP_LIMITS: 'off',
    LOG_LEVEL: 'info',
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_BSP_SCHEDULE_DELAY: '100',
  }
  const ports = [await freePort(), await freePort()].map(String)
  ;[supportMetrics, workerMetrics] = ports.map((port) => `http://127.0.0.1:${port}`) as [string, string]
  const [supportPort, workerPort] = ports as [string, string]
  support = await aProcess(['bin/run', 'main', 'subgraph', 'support'], { ...env, METRICS_PORT: supportPort })
  gateway = await aProcess(['bin/run', 'main', 'gateway'], { ...env, SUBGRAPH_SUPPORT_URL: support.url })
  worker = await aProcess(['bin/run', 'worker'], { ...env, METRICS_PORT: workerPort }, 'the worker runs')
  await Promise.all([support.start(), gateway.start(), worker.start()])
})

afterAll(async () => {
  await Promise.all([gateway, support, worker].map((running) => running?.kill()))
  receiver?.close()
})

const traceId = (digit: string): string => digit.repeat(32)
const remoteSpan = 'aaaaaaaaaaaaaaaa'
const traceparent = (digit: string): string => `00-${traceId(digit)}-${remoteSpan}-01`

const spansOf = (digit: string): ReceivedSpan[] => receiver.spans.filter((span) => span.traceId === traceId(digit))

/** The names from the span up to the caller of the platform. */
function pathOf(span: ReceivedSpan, spans: readonly ReceivedSpan[]): string[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentId)
  return [span.name, ...(parent ? pathOf(parent, spans) : [span.parentId])]
}

/** The paths of the spans of a trace, once one of them begins with `name`. */
async function pathsWith(digit: string, ...names: readonly string[]): Promise<string[]> {
  const paths = () => spansOf(digit).map((span) => pathOf(span, spansOf(digit)).join(' < '))
  for (const name of names) {
    await expect
      .poll(() => paths().some((path) => path.startsWith(name) && path.endsWith(remoteSpan)), { timeout: 20_000 })
      .toBe(true)
  }
  return paths()
}

describe('a trace', () => {
  it('continues the one of the client through edge, graph, subgraph and SQL, across processes', async () => {
    const { organizationId, keyId, headers } = await platform.member()
    const answer = await fetch(`${gateway!.url}/v1/cases?limit=1&search=Hush`, {
      headers: { ...headers, traceparent: traceparent('1') },
    })
    expect(answer.status).toBe(200)
    const graph = `graph caseList < GET caseList < ${remoteSpan}`
    const paths = await pathsWith('1', 'GET caseList', 'subgraph support', 'SELECT < execute in support')
    expect(paths).toEqual(
      expect.arrayContaining([
        `GET caseList < ${remoteSpan}`,
        `edge admits < GET caseList < ${remoteSpan}`,
        `subgraph support < ${graph}`,
        `SELECT < execute in support < subgraph support < ${graph}`,
      ]),
    )
    const { attributes } = spansOf('1').find(({ name }) => name === 'GET caseList')!
    expect(attributes).toMatchObject({
      'http.request.method': 'GET',
      'http.response.status_code': 200,
      'crm.organization': organizationId,
      'crm.credential': keyId,
      'crm.request_id': answer.headers.get('x-request-id'),
    })
    expect(JSON.stringify(spansOf('1'))).not.toMatch(new RegExp(`Hush|${headers['X-API-Key']}`))
  })

  it('has the statement of a read by id, which requests of one moment share', async () => {
    const { headers, rest } = await platform.member()
    const { body } = await rest.accountCreate!({ body: { name: 'Acme' } })
    const ids = ['4', '5']
    const read = (digit: string) =>
      fetch(`${gateway!.url}/v1/accounts/${body.id}`, { headers: { ...headers, traceparent: traceparent(digit) } })
    const answers = await Promise.all(ids.map(read))
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    for (const digit of ids) {
      const paths = await pathsWith(digit, 'GET account', 'SELECT < subgraph crm')
      expect(paths).toContain(`SELECT < subgraph crm < graph account < GET account < ${remoteSpan}`)
    }
  })

  it('has one transaction and its statements for a write', async () => {
    const { headers } = await platform.member()
    const answer = await fetch(`${gateway!.url}/v1/graphql`, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        traceparent: traceparent('2'),
        'Idempotency-Key': 'traced',
      },
      body: JSON.stringify({ query: 'mutation Open { caseCreate(input: { subject: "Hush" }) { id } }' }),
    })
    expect(answer.status).toBe(200)
    const paths = await pathsWith('2', 'POST caseCreate', 'TRANSACTION')
    const transaction = 'TRANSACTION < execute in support < subgraph support < graph caseCreate < POST caseCreate'
    expect(paths.filter((path) => path === `${transaction} < ${remoteSpan}`)).toHaveLength(1)
    expect(paths.filter((path) => path.endsWith(`< ${transaction} < ${remoteSpan}`)).length).toBeGreaterThan(1)
    expect(JSON.stringify(spansOf('2'))).not.toContain('Hush')
  })

  it('continues in the worker that sends the mail of a request', async () => {
    const answer = await fetch(`${gateway!.url}/v1/auth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', traceparent: traceparent('3') },
      body: JSON.stringify({ email: 'traced@example.com', password: 'Correct horse 7!', company: 'Acme' }),
    })
    expect(answer.status).toBe(201)
    const paths = await pathsWith('3', 'POST authRegister', 'queue mail')
    const mail = paths.find((path) => path.startsWith('queue mail'))!
    expect(mail).toMatch(new RegExp(`^queue mail < .* < POST authRegister < ${remoteSpan}$`))
    expect(JSON.stringify(spansOf('3'))).not.toContain('traced@example.com')
  })

  it('begins at the platform when the client sends none', async () => {
    const { headers } = await platform.member()
    const { headers: answered } = await fetch(`${gateway!.url}/v1/accounts`, { headers })
    const id = answered.get('x-request-id')
    const span = () => receiver.spans.find(({ attributes }) => attributes['crm.request_id'] === id)
    await expect.poll(span, { timeout: 20_000 }).toMatchObject({ name: 'GET accountList', parentId: '' })
    // Statements that poll for work are no traces.
    const roots = receiver.spans.filter(({ parentId }) => parentId === '').map(({ name }) => name)
    expect(roots.filter((name) => !/^(GET|POST|job|queue) /.test(name))).toEqual([])
  })
})

describe('every process', () => {
  it('serves its metrics and health checks on METRICS_PORT', async () => {
    for (const url of [supportMetrics, workerMetrics]) {
      const health = await Promise.all(['/health/live', '/health/ready'].map((path) => fetch(url + path)))
      expect(health.map(({ status }) => status)).toEqual([200, 200])
      const metrics = await (await fetch(`${url}/metrics`)).text()
      expect(metrics).toMatch(/^crm_build_info\{version="\d+\.\d+\.\d+",node="v\d+/m)
      expect(metrics).toContain('crm_database_connections{pool="requests",state="busy"} ')
    }
    const ofWorker = await (await fetch(`${workerMetrics}/metrics`)).text()
    expect(ofWorker).toContain('crm_queue_lag_seconds{queue="mail"} ')
    expect(ofWorker).toContain('crm_queue_lag_seconds{queue="events"} ')
  })

  it('says its version and addresses at the start', () => {
    const started = [
      [gateway!, 'the gateway is listening', { url: gateway!.url, metricsUrl: null }],
      [support!, 'the subgraph is listening', { subgraph: 'support', metricsUrl: supportMetrics }],
      [worker!, 'the worker runs', { metricsUrl: workerMetrics }],
    ] as const
    for (const [process, msg, members] of started) {
      const lines = process
        .output()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>)
      const line = lines.find((candidate) => candidate['msg'] === msg)
      expect(line).toMatchObject({ ...members, version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string })
    }
  })

  it('has written the lines of all its requests when it stops', async () => {
    const { headers } = await platform.member()
    const answer = await fetch(`${gateway!.url}/v1/accounts`, { headers })
    await answer.arrayBuffer()
    expect(await gateway!.stop()).toBe(0)
    expect(gateway!.output()).toContain(`"id":"${answer.headers.get('x-request-id')}","method":"GET"`)
  })
})
