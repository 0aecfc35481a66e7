import express from 'express'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { BaselineQueries, type BaselineSettings } from './baseline-queries.ts'
import { createdRecords } from './created-records.ts'

// Started as a separate process: `node baseline-process.ts <raw|express> <settings as JSON>`. Sends its port to the parent process.

interface GraphqlBody {
  readonly variables: { readonly id: string }
}

async function bodyOf(req: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

const withoutTotal = ({ total: _total, totalPages: _totalPages, ...page }: Record<string, unknown>) => page

function rawListener(queries: BaselineQueries): RequestListener {
  const answerOf = async (req: IncomingMessage): Promise<unknown> => {
    const url = req.url!
    if (req.method === 'GET') {
      if (url.startsWith('/v1/accounts/')) return queries.one(url.slice('/v1/accounts/'.length))
      const limit = Number(new URLSearchParams(url.slice(url.indexOf('?'))).get('limit'))
      return queries.page(limit, url.startsWith('/counted/'))
    }
    const body = await bodyOf(req)
    if (Object.hasOwn(createdRecords, url)) return queries.create(url, body as Record<string, unknown>)
    if (url === '/graphql/account') return { data: { account: await queries.one((body as GraphqlBody).variables.id) } }
    if (url === '/graphql/list') return { data: { accountList: withoutTotal(await queries.page(50, false)) } }
    return { data: { newest: await queries.tenWithCases() } }
  }
  return async (req, res) => {
    try {
      const text = JSON.stringify(await answerOf(req))
      const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(text) }
      res.writeHead(Object.hasOwn(createdRecords, req.url!) ? 201 : 200, headers).end(text)
    } catch (error) {
      res.writeHead(500).end(String(error))
    }
  }
}

function expressListener(queries: BaselineQueries): RequestListener {
  const app = express().disable('x-powered-by').disable('etag')
  app.use(express.json())
  app.get('/v1/accounts/:id', async (req, res) => void res.json(await queries.one(req.params.id)))
  app.get('/v1/accounts', async (req, res) => void res.json(await queries.page(Number(req.query['limit']), false)))
  for (const path of Object.keys(createdRecords)) {
    app.post(path, async (req, res) => {
      res.status(201).json(await queries.create(path, req.body as Record<string, unknown>))
    })
  }
  app.post('/graphql/account', async (req, res) => {
    res.json({ data: { account: await queries.one((req.body as GraphqlBody).variables.id) } })
  })
  app.post(
    '/graphql/list',
    async (_req, res) => void res.json({ data: { accountList: withoutTotal(await queries.page(50, false)) } }),
  )
  app.post('/graphql/nested', async (_req, res) => void res.json({ data: { newest: await queries.tenWithCases() } }))
  return app
}

const [kind, settings] = process.argv.slice(2)
const queries = new BaselineQueries(JSON.parse(settings!) as BaselineSettings)
const server = createServer(kind === 'raw' ? rawListener(queries) : expressListener(queries))
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
