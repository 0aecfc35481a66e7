import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { expect, it, onTestFinished } from 'vitest'
import '../../subgraphs/kernel/counters/redis-counters.ts'
import { Metrics } from './metrics.ts'

async function scraped(...paths: readonly string[]): Promise<string[]> {
  const metrics = new Metrics({ totalCount: 3, idleCount: 1, waitingCount: 0 }, { count: 7 })
  const app = express().get('/metrics', metrics.serve).use(metrics.observe)
  app.get('/v1/stream', (_req, res) => void res.setHeader('Content-Type', 'text/event-stream').end())
  app.use((_req, res) => void res.end())
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    for (const path of paths) await (await fetch(url + path, { headers: { connection: 'close' } })).text()
    return (await (await fetch(`${url}/metrics`, { headers: { connection: 'close' } })).text()).split('\n')
  } finally {
    server.close()
  }
}

it('collects at most once a second, for any number of requests', async () => {
  let collected = 0
  const pool = {
    get totalCount() {
      collected++
      return 3
    },
    idleCount: 1,
    waitingCount: 0,
  }
  const metrics = new Metrics(pool, { count: 0 })
  const server = createServer(express().get('/metrics', metrics.serve)).listen(0, '127.0.0.1')
  onTestFinished(() => server.close().closeAllConnections())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`
  const began = performance.now()
  const texts = await Promise.all(
    Array.from({ length: 20 }, async () => (await fetch(url, { headers: { connection: 'close' } })).text()),
  )
  const seconds = (performance.now() - began) / 1000
  expect(texts.every((text) => text.includes('database_connections{state="busy"} 2'))).toBe(true)
  expect(collected).toBeLessThanOrEqual(Math.floor(seconds) + 1)
})

it('has the metrics of the kernel and of the gateway', async () => {
  expect(await scraped()).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^counters_in_process_total \d+$/),
      'database_connections{state="busy"} 2',
      'live_streams 7',
    ]),
  )
})

it('does not measure event streams as requests', async () => {
  const lines = await scraped('/v1/stream')
  expect(lines.filter((line) => line.startsWith('http_request_duration_seconds_count'))).toEqual([])
})

it('reads the surface from the path, not from the query string', async () => {
  const lines = await scraped('/v1/graphql?x=1', '/graphql', '/v1/accounts?search=graphql', '/docs?of=/v1/graphql')
  const counts = lines.filter((line) => line.startsWith('http_request_duration_seconds_count'))
  expect(counts.sort()).toEqual([
    'http_request_duration_seconds_count{surface="graphql",status="200"} 2',
    'http_request_duration_seconds_count{surface="other",status="200"} 1',
    'http_request_duration_seconds_count{surface="rest",status="200"} 1',
  ])
})
