import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { runDunning } from '../../subgraphs/commerce/dunning/dunning.job.ts'
import { createApiKey } from '../../subgraphs/identity/public.ts'
import { Database } from '../../subgraphs/kernel/database/database.ts'
import type { Sql } from '../../subgraphs/kernel/database/sql.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import type { OpenServices } from '../../subgraphs/kernel/services.ts'
import type { Bench } from './against-baselines.ts'
import { OneConnection } from './customer-graph.ts'
import type { Server } from './processes.ts'
import { atMost, type Finding } from './report.ts'
import type { Tenant } from './tenants.ts'

const invoices = 1_000_000
/** One of so many invoices is open. */
const openShare = 10
const dayMs = 86_400_000

const day = (ago: number): string => new Date(Date.now() - ago * dayMs).toISOString().slice(0, 10)

/** The aging of a million invoices, the reminders of a hundred thousand open ones, and creates with ten lines. */
export async function measureInvoices(
  { tenants: { main, writing } }: Bench,
  project: Server,
  services: OpenServices,
): Promise<Finding[]> {
  await fillInvoices(services, main)
  const keyOf = ({ organizationId, ownerId }: Tenant) =>
    createApiKey(services, organizationId, {
      ownerId,
      name: 'Invoices',
      scopes: ['*'],
      rateLimit: { limit: 1_000_000, window: 'MINUTE' },
    })
  const reader = new OneConnection(project, (await keyOf(main)).secret)
  const [anInvoice] = await services.database.query<{ customerId: string }>(
    'select customer_id as "customerId" from commerce.invoice where organization_id = $1 limit 1',
    [main.organizationId],
  )
  const { customerId } = anInvoice!
  const read = async (title: string, query: string, max: number, samples = 30) => {
    const path = `/v1/invoices${query}`
    // The first requests read from the disk.
    for (let index = 0; index < 3; index++) await reader.send({ method: 'GET', path })
    const p95 = await reader.percentileOf(() => ({ method: 'GET', path }), 0.95, samples)
    return atMost(`${title}: p95`, p95, max, ' ms')
  }
  const findings = [
    await read('Aging of 1,000,000 invoices, today', '/aging', 300),
    await read('Aging, 30 days ago', `/aging?asOf=${day(30)}`, 300),
    await read('Aging, a year ago', `/aging?asOf=${day(365)}`, 300),
    await read('Aging of one customer', `/aging?customerId=${customerId}`, 50),
    await read('Aging of one customer, a year ago', `/aging?customerId=${customerId}&asOf=${day(365)}`, 50),
    await read('Figures with DSO', '/stats', 150),
  ]
  for (const filter of listFilters(customerId, main.ownerId))
    findings.push(await read(`List of 1,000,000 invoices, ${filter.split('=')[0]!}`, `?limit=50&${filter}`, 100, 15))
  const writer = new OneConnection(project, (await keyOf(writing)).secret)
  const body = JSON.stringify({ currency: 'USD', lineItems: Array.from({ length: 10 }, (_, index) => aLine(index)) })
  const create = () => ({ method: 'POST', path: '/v1/invoices', body }) as const
  const floor = await openFloor(services, writing)
  const floorMs = await new OneConnection(floor, '').medianOf(create)
  const ourMs = await writer.medianOf(create)
  await floor.stop()
  findings.push(atMost('Invoice create with ten lines: p50 in units of the floor', ourMs / floorMs, 2.5, ''))
  return [...findings, ...(await measureRun(services, main))]
}

/** Each parameter of the list, with a value that many invoices have. */
const listFilters = (customerId: string, ownerId: string): string[] => [
  'status=OVERDUE',
  'status=PAID,OVERDUE',
  `customerId=${customerId}`,
  `contactId=${customerId}`,
  `orderId=${customerId}`,
  `quoteId=${customerId}`,
  `ownerId=${ownerId}`,
  'currency=EUR',
  'purchaseOrderNumber=PO-1',
  'invoiceNumber=B-000500000',
  'externalId=none',
  `dueBefore=${day(200)}`,
  `createdAfter=${day(60)}`,
  `updatedAfter=${day(60)}`,
  'search=B-0005',
  'sortBy=dueDate&sortOrder=desc',
  'sortBy=total',
]

const aLine = (index: number) => ({ name: `Line ${index}`, quantity: index + 1, unitPrice: 19.99, taxRate: 19 })

/** Sends the reminders of one day to every open invoice, and samples the memory of the process. */
async function measureRun(services: OpenServices, { organizationId }: Tenant): Promise<Finding[]> {
  await services.database.query(
    `insert into commerce.dunning_setting (organization_id, settings, version, updated_at)
     values ($1, '{"enabled": true, "skipWeekends": false, "sendTime": "00:00", "markUncollectibleAfterDays": null}', 1, now())
     on conflict do nothing`,
    [organizationId],
  )
  global.gc?.()
  const before = process.memoryUsage().rss
  let largest = before
  const sampling = setInterval(() => (largest = Math.max(largest, process.memoryUsage().rss)), 200)
  const began = performance.now()
  await runDunning(services, { batchSize: 200, sliceMs: Number.POSITIVE_INFINITY })
  clearInterval(sampling)
  const [sent] = await services.database.query<{ n: number }>(
    'select count(*)::int as n from commerce.invoice where organization_id = $1 and reminder_count > 0',
    [organizationId],
  )
  const seconds = (performance.now() - began) / 1000
  const [count, megabytes] = [sent!.n, (largest - before) / 1e6]
  return [
    atMost(
      `Reminders of ${count.toLocaleString('en')} open invoices: ms for each`,
      (seconds * 1000) / count,
      10,
      ' ms',
    ),
    atMost('The same run: growth of the memory of the process', megabytes, 200, ' MB'),
  ]
}

/** The least that stores an invoice: it parses the body, and writes the row and its event in one statement. */
async function openFloor(services: OpenServices, { organizationId, ownerId }: Tenant) {
  const database = new Database({ url: services.databaseUrl, connectionsMax: 4 })
  const server = createServer((req, res) => {
    void (async () => {
      const { currency, lineItems } = (await json(req)) as { currency: string; lineItems: object[] }
      const id = newId()
      const record = { id, organizationId, ownerId, currency, lineItems, status: 'DRAFT', total: 1308.35, version: 1 }
      await database.query(
        `with written as (insert into commerce.invoice (id, organization_id, owner_id, currency, line_items, custom_fields, version,
           created_at, updated_at, status, payment_terms, subtotal, discount_total, tax_total, shipping_total, total, amount_paid,
           amount_credited, amount_due, reminder_count, dunning_level, dunning_fees)
         values ($1, $2, $3, $4, $5, '{}', 1, now(), now(), 'DRAFT', 'NET_30', 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0) returning 1)
         insert into kernel.event (organization_id, id, type, version, occurred_at, object, record_id, data, actor_id)
         select $2, $6, 'invoice.created', 1, now(), 'invoice', $1, $7, $3 from written`,
        [id, organizationId, ownerId, currency, JSON.stringify(lineItems), newId(), JSON.stringify({ record })],
      )
      res.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(record))
    })()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await database.close()
    },
  } as unknown as Server
}

/** Fills the organization once; a database that is kept has the invoices of the first run. */
async function fillInvoices(services: OpenServices, { organizationId, ownerId }: Tenant): Promise<void> {
  // Without a statement timeout.
  const sql = new Database({ url: services.databaseUrl, connectionsMax: 1, statementTimeoutMs: 0 })
  try {
    const known = await sql.query('select 1 from commerce.invoice where organization_id = $1 limit 1', [organizationId])
    if (known.length > 0) return
    const step = 100_000
    for (let from = 0; from < invoices; from += step)
      await insertInvoices(sql, organizationId, ownerId, from, from + step)
    for (const table of ['invoice', 'invoice_balance', 'invoice_totals'])
      await sql.query(`vacuum analyze commerce.${table}`)
  } finally {
    await sql.close()
  }
}

/** Invoices over three years in two currencies for ten thousand customers: the open ones are the last of each hundred days. */
export const insertInvoices = (sql: Sql, organizationId: string, ownerId: string, from: number, to: number) =>
  sql.query(
    `insert into commerce.invoice (id, organization_id, owner_id, currency, line_items, custom_fields, version, created_at, updated_at,
       status, payment_terms, subtotal, discount_total, tax_total, shipping_total, total, amount_paid, amount_credited, amount_due, reminder_count,
       dunning_level, dunning_fees, invoice_number, customer_id, account_id, issue_date, due_date, sent_at, sent_to, payments, paid_at,
       closed_at, days_to_pay, public_token)
     select v.id, $1, $2, v.currency, '[]', '{}', 1, v.issued, v.issued,
       case when v.is_open then case when v.ago > 30 then 'OVERDUE' else 'SENT' end else 'PAID' end, 'NET_30', v.total, 0, 0, 0, v.total,
       case when v.is_open then 0 else v.total end, 0, case when v.is_open then v.total else 0 end, 0, 0, 0,
       'B-' || lpad(i::text, 9, '0'), accounts.ids[1 + i % cardinality(accounts.ids)], accounts.ids[1 + i % cardinality(accounts.ids)],
       v.issued, v.issued + interval '30 days', v.issued, 'customer' || i % 10000 || '@bench.example',
       case when v.is_open then '[]' else jsonb_build_array(jsonb_build_object('id', gen_random_uuid(), 'invoiceId', v.id, 'amount', v.total,
         'currency', v.currency, 'method', 'BANK_TRANSFER', 'paidAt', to_char(v.paid, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'status', 'SUCCEEDED', 'refundedAmount', 0)) end,
       case when v.is_open then null else v.paid end, case when v.is_open then null else v.paid end,
       case when v.is_open then null else 25 end, 'bench' || i
     from generate_series($3::int, $4::int - 1) i
     cross join lateral (select (i % 1095) as ago, i % ${openShare} = 0 as wants_open) a
     cross join lateral (select case when a.wants_open then 34 + a.ago % 60 else 30 + a.ago end as ago, a.wants_open as is_open,
       (100 + i % 9000)::numeric / 4 as total, (array['USD', 'USD', 'EUR'])[1 + i % 3] as currency) w
     cross join lateral (select w.*, uuidv7(make_interval(days => -w.ago)) as id, date_trunc('day', now()) - make_interval(days => w.ago) as issued,
       date_trunc('day', now()) - make_interval(days => w.ago - 25) as paid) v
     cross join (select array_agg(id) as ids from (select id from crm.account where organization_id = $1 limit 10000) a2) accounts`,
    [organizationId, ownerId, from, to],
  )
