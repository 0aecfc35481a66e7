import { newId } from '../../subgraphs/kernel/ids.ts'
import { createApiKey } from '../../subgraphs/identity/public.ts'
import { Database } from '../../subgraphs/kernel/database/database.ts'
import type { Sql } from '../../subgraphs/kernel/database/sql.ts'
import { ChatServer } from '../../subgraphs/kernel/language-model/chat-server.fixture.ts'
import type { OpenServices } from '../../subgraphs/kernel/services.ts'
import { seededRandom } from '../../subgraphs/kernel/time/business-hours.fixture.ts'
import { OneConnection } from './customer-graph.ts'
import type { BenchOptions } from './options.ts'
import { PostgresCpu } from './postgres-cpu.ts'
import type { Server } from './processes.ts'
import { atMost, type Finding } from './report.ts'
import { openTenant, type Tenant } from './tenants.ts'

type AssistantSize = BenchOptions['assistant']

const samples = 200
const warmUp = 30
/** A conversation has at most 500 messages. */
const messagesPerConversation = 100
const firstTokens = { warmUp: 20, samples: 75, callsPerKey: 25 }
const passagesPerDocument = 1_000
const wordsPerPassage = 250
const vocabularySize = 30_000
const count = (records: number): string => records.toLocaleString('en')

const questions = [
  'How many accounts are there?',
  'How many customers do we have?',
  'How many accounts by type?',
  'What are the top 5 accounts by annual revenue?',
  'List my accounts',
  'How many accounts were created this month?',
  'Who owns "{name}"?',
  'Tell me about "{name}"',
  'set the website of "{name}" to https://example.com/yard',
  'create a task to call "{name}" tomorrow',
]

/** A provider that answers at once, in this process. */
export async function scriptedProvider(): Promise<{
  readonly chat: ChatServer
  readonly environment: Record<string, string>
}> {
  const chat = new ChatServer()
  chat.answer = (reply) => reply.text('Twelve ', 'deals.').end()
  const environment = { MODEL_URL: await chat.start(), MODEL_NAME: 'scripted', OUTBOUND_ALLOW: '127.0.0.0/8' }
  return {
    chat,
    environment: {
      ...environment,
      MODEL_TOKENS_PER_USER_DAY: '90000000',
      MODEL_TOKENS_PER_ORGANIZATION_MONTH: '90000000',
    },
  }
}

/** Local answers in a large organization, the first token of a model, and the search in documents: times and CPU. */
export async function measureAssistant(
  project: Server,
  services: OpenServices,
  size: AssistantSize,
): Promise<Finding[]> {
  // Without a statement timeout.
  const sql = new Database({ url: services.databaseUrl, connectionsMax: 1, statementTimeoutMs: 0 })
  try {
    const tenant = await openTenant({ ...services, database: sql }, size.accounts)
    await fillDocuments(sql, tenant, size.passages)
    const client = new OneConnection(project, await secretOf(services, tenant))
    const cpu = await PostgresCpu.of(sql)
    return [
      ...(await measureLocal(sql, client, project, cpu, tenant, size)),
      await measureFirstToken(services, project, tenant),
      ...(await measureSearch(client, project, cpu, size)),
    ]
  } finally {
    await sql.close()
  }
}

const secretOf = async (services: OpenServices, { organizationId, ownerId }: Tenant): Promise<string> =>
  (
    await createApiKey(services, organizationId, {
      ownerId,
      name: 'Assistant',
      scopes: ['*'],
      rateLimit: { limit: 1_000_000, window: 'MINUTE' },
    })
  ).secret

const share = (times: readonly number[], part: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * part))]!

async function conversation(client: OneConnection): Promise<string> {
  const { body } = await client.send({ method: 'POST', path: '/v1/conversations', body: '{}' })
  return (body as { id: string }).id
}

async function measureLocal(
  sql: Sql,
  client: OneConnection,
  project: Server,
  cpu: PostgresCpu,
  { organizationId }: Tenant,
  { accounts }: AssistantSize,
): Promise<Finding[]> {
  const rows = await sql.query<{ name: string }>(
    'select name from crm.account where organization_id = $1 order by md5(id::text) limit 100',
    [organizationId],
  )
  const texts = Array.from({ length: samples }, (_, index) =>
    questions[index % questions.length]!.replace('{name}', rows[index % rows.length]!.name),
  )
  let id = await conversation(client)
  const ask = async (content: string, index: number): Promise<number> => {
    if (index % messagesPerConversation === messagesPerConversation - 1) id = await conversation(client)
    const body = JSON.stringify({ content, mode: 'local' })
    return (await client.send({ method: 'POST', path: `/v1/conversations/${id}/messages`, body })).ms
  }
  for (const [index, text] of texts.slice(0, warmUp).entries()) await ask(text, index)
  // A user has at most 100 open proposals.
  await sql.query('delete from assistant.proposal where organization_id = $1', [organizationId])
  const [own, postgres] = [project.cpuUs(), cpu.cpuUs()]
  const byQuestion = new Map<string, number[]>()
  const times: number[] = []
  for (const [index, text] of texts.entries()) {
    const ms = await ask(text, index)
    times.push(ms)
    const question = questions[index % questions.length]!
    byQuestion.set(question, [...(byQuestion.get(question) ?? []), ms])
  }
  const used = (project.cpuUs() - own + cpu.cpuUs() - postgres) / samples / 1000
  const [slowest] = [...byQuestion]
    .map(([text, all]) => [text, share(all, 0.5)] as const)
    .toSorted((a, b) => b[1] - a[1])
  const detail = `slowest: ${slowest![0]} p50 ${slowest![1].toFixed(0)} ms`
  return [
    atMost(`Local answer, ${count(accounts)} accounts: p95`, share(times, 0.95), 60, ' ms', detail),
    atMost('Local answer: p50', share(times, 0.5), 60, ' ms'),
    atMost('Local answer: CPU of the process and of PostgreSQL', used, 60, ' ms'),
  ]
}

/** The provider answers at once, so all of the time is that of the platform. An organization may call a model 100 times a minute, a key 30 times. */
async function measureFirstToken(services: OpenServices, project: Server, tenant: Tenant): Promise<Finding> {
  const url = `http://127.0.0.1:${project.port}/v1/conversations`
  const times: number[] = []
  let id = ''
  let headers = {}
  for (let index = 0; index < firstTokens.warmUp + firstTokens.samples; index++) {
    if (index % firstTokens.callsPerKey === 0) {
      headers = { 'X-API-Key': await secretOf(services, tenant), 'Content-Type': 'application/json' }
      ;({ id } = (await (await fetch(url, { method: 'POST', headers, body: '{}' })).json()) as { id: string })
    }
    const began = performance.now()
    const response = await fetch(`${url}/${id}/messages/stream`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ content: 'How many?', mode: 'model' }),
    })
    let first: number | null = null
    let text = ''
    for await (const chunk of response.body!) {
      text += Buffer.from(chunk).toString()
      if (first === null && text.includes('event: token')) first = performance.now() - began
    }
    if (first === null) throw new Error(`The stream had no token: ${text.slice(0, 500)}`)
    if (index >= firstTokens.warmUp) times.push(first)
  }
  return atMost(
    'First token of a model, beyond that of its provider: p95',
    share(times, 0.95),
    30,
    ' ms',
    `p50 ${share(times, 0.5).toFixed(0)} ms`,
  )
}

async function measureSearch(
  client: OneConnection,
  project: Server,
  cpu: PostgresCpu,
  { passages }: AssistantSize,
): Promise<Finding[]> {
  const below = seededRandom(7)
  const queries = Array.from({ length: samples }, () =>
    [wordOf(below(20)), wordOf(100 + below(900)), wordOf(5_000 + below(20_000))].join(' '),
  )
  const search = async (query: string) =>
    (await client.send({ method: 'GET', path: `/v1/documents/search?query=${encodeURIComponent(query)}` })).ms
  for (const query of queries.slice(0, warmUp)) await search(query)
  const [own, postgres] = [project.cpuUs(), cpu.cpuUs()]
  const times: number[] = []
  for (const query of queries) times.push(await search(query))
  const used = (project.cpuUs() - own + cpu.cpuUs() - postgres) / samples / 1000
  return [
    atMost(`Search of documents, ${count(passages)} passages: CPU`, used, 70, ' ms'),
    atMost('Search of documents: p95', share(times, 0.95), 150, ' ms'),
  ]
}

const wordOf = (index: number): string => `w${index.toString(36)}x`

/** Words are as rare as in texts: the second is half as frequent as the first, and so on. */
async function fillDocuments(sql: Sql, { organizationId, ownerId }: Tenant, passages: number): Promise<void> {
  const [filled] = await sql.query('select 1 from assistant.document_corpus where organization_id = $1', [
    organizationId,
  ])
  if (filled) return
  const below = seededRandom(3)
  const word = () => wordOf(Math.floor(vocabularySize ** (below(2 ** 30) / 2 ** 30)) - 1)
  for (let at = 0; at < passages; at += passagesPerDocument) {
    const id = newId()
    const texts = Array.from({ length: Math.min(passagesPerDocument, passages - at) }, () =>
      Array.from({ length: wordsPerPassage }, word).join(' '),
    )
    await sql.query(
      `insert into assistant.document (organization_id, id, owner_id, name, format, status, is_shared, passage_count, created_at, updated_at)
       values ($1, $2, $3, 'Handbook', 'TEXT', 'READY', true, $4, now(), now())`,
      [organizationId, id, ownerId, texts.length],
    )
    await sql.query(
      `insert into assistant.document_passage (organization_id, document_id, position, text, words, search)
       select $1, $2, p.position, p.text, $4, to_tsvector('english', p.text) from unnest($3::text[]) with ordinality p (text, position)`,
      [organizationId, id, texts, wordsPerPassage],
    )
  }
  await sql.query(
    `insert into assistant.document_term (organization_id, lexeme, passages)
     select $1, u.lexeme, count(*) from assistant.document_passage p cross join lateral unnest(p.search) u
     where p.organization_id = $1 group by u.lexeme`,
    [organizationId],
  )
  await sql.query('insert into assistant.document_corpus (organization_id, passages, words) values ($1, $2, $3)', [
    organizationId,
    passages,
    passages * wordsPerPassage,
  ])
  await sql.query('vacuum analyze assistant.document_passage')
}
