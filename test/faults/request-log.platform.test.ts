import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { openLog } from '../../subgraphs/kernel/log.ts'
import { socketOf } from '../live.ts'
import { usePlatform } from '../platform.ts'

const lines: string[] = []
const log = openLog('info', { write: (line: string) => void lines.push(line) })
const platform = usePlatform({ METRICS_PORT: '0' }, undefined, log)

const logged = (): Record<string, unknown>[] => lines.map((line) => JSON.parse(line) as Record<string, unknown>)
const listening = () => logged().find(({ msg }) => msg === 'the gateway is listening')!

let metricsUrl = ''
beforeAll(() => {
  metricsUrl = String(listening()['metricsUrl'])
})

/** The lines of the requests that `work` sends; a line follows when the connection has taken the answer. */
async function linesOf(count: number, work: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
  lines.length = 0
  await work()
  const requests = () => logged().filter(({ msg }) => msg === 'request')
  await expect.poll(requests).toHaveLength(count)
  return requests()
}

describe('the log', () => {
  it('names the version and the addresses at the start', () => {
    expect(listening()).toEqual({
      level: 30,
      time: expect.any(Number) as number,
      version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
      url: platform.url,
      metricsUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string,
      msg: 'the gateway is listening',
    })
  })

  it('has one line for each REST request, without its query string, its body and its credential', async () => {
    const { organizationId, keyId, secret, rest, headers } = await platform.member()
    let requestId: string | null = null
    const [created, listed, missing] = await linesOf(3, async () => {
      const { body } = await rest.accountCreate!({ body: { name: 'Hush Holdings' } })
      requestId = (await fetch(`${platform.url}/v1/accounts?search=Hush`, { headers })).headers.get('x-request-id')
      expect((await rest.account!({ id: newId() })).status).toBe(404)
      expect(body.name).toBe('Hush Holdings')
    })
    const ofRequest = {
      level: 30,
      time: expect.any(Number) as number,
      id: expect.stringMatching(/^req_/) as string,
      durationMs: expect.any(Number) as number,
      organizationId,
      credentialId: keyId,
      msg: 'request',
    }
    expect(created).toEqual({ ...ofRequest, method: 'POST', operation: 'accountCreate', status: 201 })
    expect(listed).toEqual({ ...ofRequest, id: requestId, method: 'GET', operation: 'accountList', status: 200 })
    const notFound = { method: 'GET', operation: 'account', status: 404, code: 'NOT_FOUND' }
    expect(missing).toEqual({ ...ofRequest, ...notFound })
    expect(lines.join('')).not.toMatch(new RegExp(`Hush|${secret}`))
  })

  it('has one line for each GraphQL operation, over HTTP and on a websocket', async () => {
    const { organizationId, keyId, graphql, headers } = await platform.member()
    const query = 'query Overview { accountList { total } }'
    const [read, refused] = await linesOf(2, async () => {
      await graphql(query)
      await graphql(
        'mutation { accountUpdate(id: "01a203e1-8c72-770f-a175-bcd247e7c641", input: { name: "Hush" }) { id } }',
      )
    })
    const ofCaller = { organizationId, credentialId: keyId }
    const operation = { operation: 'accountList', operationName: 'Overview', status: 200 }
    expect(read).toMatchObject({ ...ofCaller, ...operation, method: 'POST' })
    expect(refused).toMatchObject({ ...ofCaller, operation: 'accountUpdate', code: 'NOT_FOUND' })
    expect(read).not.toHaveProperty('code')

    const client = socketOf(platform, headers)
    const [live] = await linesOf(1, async () => {
      for await (const { data } of client.iterate({ query })) expect(data).toBeDefined()
    })
    expect(live).toMatchObject({ ...ofCaller, ...operation, method: 'WEBSOCKET' })
  })

  it('names the code of a request without a valid credential, and neither organization nor credential', async () => {
    const [line] = await linesOf(1, () =>
      fetch(`${platform.url}/v1/accounts`, { headers: { 'x-api-key': 'secret-key' } }),
    )
    expect(line).toMatchObject({ operation: 'accountList', status: 401, code: 'API_KEY_INVALID' })
    expect(Object.keys(line!)).not.toContain('organizationId')
    expect(lines.join('')).not.toContain('secret-key')
  })

  it.each([
    ['emailStatusReceive', 'status', { messageId: newId(), event: 'OPENED' }, 404],
    ['emailInboundReceive', 'inbound', { from: 'ida@customer.example', to: ['ann@fjordline.example'] }, 200],
  ])('does not have the key in the address of %s, nor do metrics, answers and stored keys', async (...args) => {
    const [operation, path, body, status] = args
    const { secret, keyId, organizationId } = await platform.member()
    const wrong = 'crm_live_wrong-key'
    const call = async (query: string, content: object = body) => {
      const answer = await fetch(`${platform.url}/v1/email-tracking/webhook/${path}?${query}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': newId() },
        body: JSON.stringify(content),
      })
      return [answer.status, `${await answer.text()} ${JSON.stringify([...answer.headers])}`] as const
    }
    const answers: (readonly [number, string])[] = []
    const requests = await linesOf(6, async () => {
      answers.push(await call(`api_key=${secret}`))
      answers.push(await call(`a=1&%61pi_key=${secret}`, {}))
      answers.push(await call(`api_key=${secret}&api_key=${secret}`, { wrong: true }))
      answers.push(await call(`api_key=${wrong}`))
      answers.push(await call(`api_key=${encodeURIComponent(`${secret} `)}&api_key=${secret}`))
      answers.push(await call(`api_key=&api_key=${secret}`))
    })
    expect(requests[0]).toMatchObject({ operation, status, organizationId, credentialId: keyId })
    expect(requests[3]).toMatchObject({ operation, status: 401, code: 'API_KEY_INVALID' })
    expect(answers.map(([code]) => code)).toEqual(requests.map((line) => line['status']))
    expect(answers.map(([code]) => code)).toEqual([status, 400, 400, 401, 400, 401])

    const metrics = async () => (await fetch(`${metricsUrl}/metrics`)).text()
    await expect
      .poll(metrics, { timeout: 10_000 })
      .toContain(`crm_requests_total{operation="${operation}",status="401"`)
    const stored = await platform.query('select to_jsonb(t) as row from kernel.idempotency t')
    const written = [...lines, await metrics(), JSON.stringify(stored), ...answers.map(([, text]) => text)].join('\n')
    for (const key of [secret, wrong, encodeURIComponent(secret)]) expect(written).not.toContain(key)
  })

  it('has no lines for health checks', async () => {
    const [line] = await linesOf(1, async () => {
      for (const path of ['/health/live', '/health/ready', '/nowhere']) await fetch(platform.url + path)
    })
    expect(line).toMatchObject({ method: 'GET', operation: 'other', status: 404, code: 'NOT_FOUND' })
  })
})
