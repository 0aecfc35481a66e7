import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { openLog } from '../../subgraphs/kernel/log.ts'
import { exchangeOf } from '../edge/exchange.ts'
import { requestLines } from './request-line.ts'
import { RequestMetrics } from './request-metrics.ts'

/** The metrics and the log after requests for these paths. */
async function observed(...paths: readonly string[]): Promise<{ metrics: string[]; log: string[] }> {
  const registry = new Registry()
  const log: string[] = []
  const lines = requestLines(openLog('info', { write: (line) => void log.push(line) }))
  const metrics = new RequestMetrics(registry, { count: 7 }, lines)
  const app = express().use(metrics.observe)
  app.get('/v1/stream', (_req, res) => void res.setHeader('Content-Type', 'text/event-stream').end())
  app.get('/forecasts', (_req, res) => {
    exchangeOf(res)!.operation = 'forecastList'
    res.end()
  })
  app.use((_req, res) => void res.end())
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  for (const path of paths) await (await fetch(url + path, { headers: { connection: 'close' } })).text()
  server.close()
  await once(server, 'close')
  return { metrics: (await registry.metrics()).split('\n'), log }
}

const durations = ({ metrics }: { metrics: string[] }): string[] =>
  metrics.filter((line) => line.startsWith('crm_http_request_duration_seconds_count')).sort()

it('counts event streams, and does not measure how long their clients keep them open', async () => {
  const { metrics } = await observed('/v1/stream')
  expect(durations({ metrics })).toEqual([])
  expect(metrics).toContain('crm_requests_total{operation="unknown",status="200",code=""} 1')
  expect(metrics).toContain('crm_live_streams 7')
})

it('reads the surface from the path, not from the query string', async () => {
  const paths = [
    '/v1/graphql?x=1',
    '/graphql',
    '/v1/accounts?search=graphql',
    '/docs?of=/v1/graphql',
    '/v1/oauth/token',
  ]
  expect(durations(await observed(...paths))).toEqual([
    'crm_http_request_duration_seconds_count{surface="graphql",status="200"} 2',
    'crm_http_request_duration_seconds_count{surface="oauth",status="200"} 1',
    'crm_http_request_duration_seconds_count{surface="other",status="200"} 1',
    'crm_http_request_duration_seconds_count{surface="rest",status="200"} 1',
  ])
})

it('counts an operation of REST outside of /v1 as REST', async () => {
  const counted = await observed('/forecasts', '/forecastsx')
  expect(durations(counted)).toEqual([
    'crm_http_request_duration_seconds_count{surface="other",status="200"} 1',
    'crm_http_request_duration_seconds_count{surface="rest",status="200"} 1',
  ])
  expect(counted.metrics).toContain('crm_requests_total{operation="forecastList",status="200",code=""} 1')
  expect(counted.log.map((line) => (JSON.parse(line) as { operation: string }).operation)).toEqual([
    'forecastList',
    'other',
  ])
})

it('logs no path and no query string', async () => {
  const { log } = await observed('/v1/hush?secret=hush')
  expect(log.map((line) => JSON.parse(line) as object)).toEqual([
    {
      level: 30,
      time: expect.any(Number) as number,
      id: '',
      method: 'GET',
      operation: 'unknown',
      status: 200,
      durationMs: expect.any(Number) as number,
      msg: 'request',
    },
  ])
})

it('writes no lines when the level of the log excludes them', () => {
  expect(requestLines(openLog('warn', { write: () => {} }))).toBeNull()
})
