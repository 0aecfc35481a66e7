import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { account, contact, creditNote, each, sentInvoice } from '../builders.ts'
import { ScriptedProvider } from '../payment-provider.ts'
import { usePlatform, type Member } from '../platform.ts'
import { aSecondProcess, type Process } from '../processes.ts'
import { restClient } from '../rest-client.ts'
import { aWorker, patience } from './killed-worker.ts'

const platform = usePlatform()
// Processes start slowly on a busy machine.
const slowly = { timeout: 240_000 }
let member: Member
let customerId: string

beforeAll(async () => {
  member = await platform.member({ organizationId: await platform.organization('Killed'), role: 'ADMIN' })
  customerId = (await account(member)).id
})

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

async function aServer(environment: Readonly<Record<string, string>> = {}): Promise<Process> {
  const server = await aSecondProcess(platform, environment)
  onTestFinished(() => server.kill())
  await server.start()
  return server
}
const requestsTo = (server: Process) => restClient(platform.contract, server.url, member.headers)

/** Sends the requests with some clients at once, and kills the server after this many answers. */
async function killAfter(server: Process, answers: number, work: readonly (() => Promise<unknown>)[], clients = 8) {
  let answered = 0
  const left = work.values()
  const sending = Array.from({ length: clients }, async () => {
    for (const send of left) {
      await send()
      if (++answered === answers) await server.kill()
    }
  })
  await Promise.allSettled(sending)
  expect(answered).toBeGreaterThanOrEqual(answers)
}

describe('a server that is killed while it numbers invoices', slowly, () => {
  it('leaves no gap, and continues with the next number', async () => {
    const count = 50
    const server = await aServer()
    const create = async () => {
      const body = { customerId, issueDate: '2026-11-02', lineItems: [{ name: 'Fee', quantity: 1, unitPrice: 10 }] }
      const { body: created } = await requestsTo(server).invoiceCreate!({ body })
      return requestsTo(server).invoiceSend!({ id: created.id, body: {} })
    }
    await killAfter(
      server,
      15,
      Array.from({ length: count }, () => create),
      count,
    )
    const numbers = async () =>
      (
        await platform.query<{ number: string }>(
          'select invoice_number as number from commerce.invoice where organization_id = $1 and invoice_number is not null order by 1',
          [member.organizationId],
        )
      ).map(({ number }) => number)
    const upTo = (last: number) =>
      Array.from({ length: last }, (_, index) => `INV-2026-${String(index + 1).padStart(6, '0')}`)

    const before = await numbers()
    expect(before).toEqual(upTo(before.length))
    expect(before.length).toBeGreaterThanOrEqual(15)
    await server.start()
    await Promise.all(Array.from({ length: 10 }, create))
    expect(await numbers()).toEqual(upTo(before.length + 10))
  })
})

describe('a server that is killed while it records payments and refunds', slowly, () => {
  it('has each of them wholly or not at all, and once when it is asked again with the same key', async () => {
    const invoices = await each([1, 2, 3, 4, 5], () =>
      sentInvoice(member, { customerId, lineItems: [{ name: 'Fee', quantity: 1, unitPrice: 1000 }] }),
    )
    const server = await aServer()
    const pay = (id: string, index: number) => async () => {
      const reference = `${id} ${index}`
      const headers = { 'Idempotency-Key': reference }
      const body = { amount: 1.11, reference }
      const { body: paid } = await requestsTo(server).invoicePayment!({ id, body, headers })
      const { id: paymentId } = paid.payments.find((one: { reference: string }) => one.reference === reference)
      if (index % 3 > 0) return
      const refund = { body: { amount: 0.11 }, headers: { 'Idempotency-Key': `${reference} back` } }
      await requestsTo(server).invoiceRefundPayment!({ id, paymentId, ...refund })
    }
    const work = Array.from({ length: 12 }, (_, index) => invoices.map(({ id }) => pay(id, index))).flat()
    await killAfter(server, 20, work, 10)

    const ids = invoices.map(({ id }) => id as string)
    const wrong = () =>
      platform.query(
        `select i.id from commerce.invoice i
         cross join lateral (select coalesce(sum((p ->> 'amount')::numeric), 0) as paid, count(*) as n from jsonb_array_elements(i.payments) p) p
         cross join lateral (select coalesce(sum((r ->> 'amount')::numeric), 0) as returned, count(*) as n from jsonb_array_elements(i.refunds) r) r
         cross join lateral (
           select count(*) filter (where e.type = 'payment.recorded') as paid, count(*) filter (where e.type = 'payment.refunded') as returned
           from kernel.event e where e.organization_id = i.organization_id and e.record_id = i.id) e
         left join commerce.invoice_balance b on b.organization_id = i.organization_id and b.invoice_id = i.id and b.until = 'infinity'
         where i.id = any($1) and (i.amount_due <> i.total - p.paid + r.returned or e.paid <> p.n or e.returned <> r.n
           or b.balance is distinct from i.amount_due)`,
        [ids],
      )
    expect(await wrong()).toEqual([])
    await server.start()
    for (const again of work) await again()
    expect(await wrong()).toEqual([])
    for (const { id, total } of invoices) {
      const { body } = await member.rest.invoice!({ id })
      expect([body.payments.length, body.refunds.length]).toEqual([12, 4])
      expect(body.amountDue).toBeCloseTo(total - 12 * 1.11 + 4 * 0.11, 6)
    }
  })
})

describe('a server that is killed while it applies, reverses and refunds credit notes', slowly, () => {
  it('has each of them wholly or not at all, and once when it is asked again with the same key', async () => {
    const fee = { lineItems: [{ name: 'Fee', quantity: 1, unitPrice: 1000 }] }
    const invoices = await each([1, 2, 3], () => sentInvoice(member, { customerId, ...fee }))
    const notes = await each([1, 2, 3, 4], async () => {
      const { id } = await creditNote(member, { customerId, ...fee })
      return (await member.rest.creditNoteIssue!({ id, body: {} })).body
    })
    const server = await aServer()
    const change = (id: string, index: number) => async () => {
      const key = (step: string) => ({ 'Idempotency-Key': `${id} ${index} ${step}` })
      const applications = invoices.map((one, position) => ({
        invoiceId: one.id as string,
        amount: [1.11, 2.22, 3.33][position],
      }))
      const applied = await requestsTo(server).creditNoteApply!({ id, body: { applications }, headers: key('apply') })
      expect(applied.status, JSON.stringify(applied.body)).toBe(200)
      if (index % 3 === 0) {
        // The answer has the applications of concurrent requests too: those of this one are the last three.
        const { id: applicationId } = applied.body.applications.at(-1)
        await requestsTo(server).creditNoteReverseApplication!({ id, applicationId, body: {}, headers: key('reverse') })
      }
      if (index % 3 === 1)
        await requestsTo(server).creditNoteRefund!({ id, body: { amount: 0.17 }, headers: key('refund') })
    }
    const work = Array.from({ length: 9 }, (_, index) => notes.map(({ id }) => change(id, index))).flat()
    await killAfter(server, 12, work, 10)

    const noteIds = notes.map(({ id }) => id as string)
    /** Credit notes that differ from their own entries, those of invoices, the listed payments or the events. */
    const wrong = () =>
      platform.query(
        `select n.id from commerce.credit_note n
         cross join lateral (
           select coalesce(sum((a ->> 'amount')::numeric) filter (where a ->> 'reversedAt' is null), 0) as amount, count(a ->> 'reversedAt') as reversed
           from jsonb_array_elements(n.applications) a) a
         cross join lateral (select coalesce(sum((r ->> 'amount')::numeric), 0) as amount, count(*) as n from jsonb_array_elements(n.refunds) r) r
         cross join lateral (
           select coalesce(sum((c ->> 'amount')::numeric), 0) as amount from commerce.invoice i, jsonb_array_elements(i.credits) c
           where i.organization_id = n.organization_id and c ->> 'creditNoteId' = n.id::text and c ->> 'reversedAt' is null) c
         cross join lateral (select count(*) as n from commerce.payment p where p.organization_id = n.organization_id and p.credit_note_id = n.id) p
         cross join lateral (
           select count(*) filter (where e.type = 'credit_note.applied') as applied, count(*) filter (where e.type = 'credit_note.refunded') as refunded,
             count(*) filter (where e.type = 'credit_note.application_reversed') as reversed
           from kernel.event e where e.organization_id = n.organization_id and e.record_id = n.id) e
         where n.id = any($1) and ((n.amount_applied, n.amount_refunded, n.amount_left) <> (a.amount, r.amount, n.total - a.amount - r.amount)
           or c.amount <> a.amount or p.n <> r.n or e.refunded <> r.n or e.reversed <> a.reversed or 3 * e.applied <> jsonb_array_length(n.applications))`,
        [noteIds],
      )
    const unequal = () =>
      platform.query(
        `select i.id from commerce.invoice i
         left join commerce.invoice_balance b on b.organization_id = i.organization_id and b.invoice_id = i.id and b.until = 'infinity'
         where i.id = any($1) and (i.amount_due <> i.total - i.amount_credited or b.balance is distinct from i.amount_due)`,
        [invoices.map(({ id }) => id as string)],
      )
    expect([await wrong(), await unequal()]).toEqual([[], []])
    await server.start()
    for (const again of work) await again()
    expect([await wrong(), await unequal()]).toEqual([[], []])
    for (const id of noteIds) {
      const { body } = await member.rest.creditNote!({ id })
      expect([body.applications.length, body.refunds.length]).toEqual([27, 3])
      expect(body.amountRefunded).toBeCloseTo(3 * 0.17, 6)
      expect(body.amountLeft).toBeCloseTo(body.total - body.amountApplied - body.amountRefunded, 6)
    }
  })
})

describe(
  'a server that is killed between the answer of the payment provider and the record of the payment',
  slowly,
  () => {
    it('has recorded nothing, and records the payment once when the customer returns again', async () => {
      const provider = new ScriptedProvider()
      await provider.open()
      onTestFinished(() => provider.close())
      const { id, publicUrl, total } = await sentInvoice(member, { customerId })
      const server = await aServer(provider.environment)
      const page = server.url + new URL(publicUrl).pathname
      const checkout = await (await fetch(`${page}/pay`, { method: 'POST' })).text()
      const session = /pay\.example\/c\/(\w+)/.exec(checkout)![1]!
      const comesBack = () => fetch(`${page}/return?session=${session}`)
      provider.pay(session)
      const asked = () => provider.requests.filter(({ url }) => url.endsWith(session)).length
      const state = async () => {
        const { status, amountDue, payments } = (await member.rest.invoice!({ id })).body
        const [row] = await platform.query<{ isRecorded: boolean }>(
          'select recorded_at is not null as "isRecorded" from commerce.invoice_checkout where invoice_id = $1',
          [id],
        )
        const types = (await platform.eventTypesOf(id)).filter((type) => /^payment|paid$/.test(type))
        return { status, amountDue, payments: payments.length, ...row, types }
      }

      await platform.inSeparateTransaction(async (sql) => {
        await sql.query('select from commerce.invoice where id = $1 for update', [id])
        const cut = comesBack().catch(() => null)
        // The provider has answered that the invoice is paid, and the record of the payment waits for the invoice.
        await vi.waitFor(async () => expect([asked(), await platform.waitingForLocks()]).toEqual([1, 1]), patience)
        await server.kill()
        expect(await cut).toBe(null)
      })
      expect(await state()).toEqual({ status: 'SENT', amountDue: total, payments: 0, isRecorded: false, types: [] })

      await server.start()
      const answers = await Promise.all([comesBack(), comesBack(), comesBack()])
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
      expect(await state()).toEqual({
        status: 'PAID',
        amountDue: 0,
        payments: 1,
        isRecorded: true,
        types: ['payment.recorded', 'invoice.paid'],
      })
    })
  },
)

describe('a worker that is killed during a dunning run', slowly, () => {
  it('sends each reminder once, with its fee', async () => {
    const numbers = Array.from({ length: 30 }, (_, index) => index)
    const emails = numbers.map((index) => `killed-${index}@customer.example`)
    const due = await each(emails, async (email) => {
      const { id: contactId } = await contact(member, { email })
      return sentInvoice(member, { customerId, contactId, issueDate: daysAgo(40), dueDate: daysAgo(10) })
    })
    const steps = [{ level: 1, daysOverdue: 3, tone: 'FIRM', fee: { type: 'FIXED', value: 5 }, createTask: true }]
    const given = { enabled: true, sendTime: '00:00', skipWeekends: false, steps }
    expect((await member.rest.dunningUpdate!({ body: given })).status).toBe(200)

    const worker = await aWorker(platform)
    const reminded = async () =>
      (
        await platform.query<{ n: number }>(
          'select count(*)::int as n from commerce.invoice where id = any($1) and reminder_count > 0',
          [due.map(({ id }) => id)],
        )
      )[0]!.n
    const ended = () =>
      platform.query('select from commerce.dunning_run where organization_id = $1 and finished_at is not null', [
        member.organizationId,
      ])

    await worker.start('invoice.dunning')
    await vi.waitFor(async () => expect(await reminded()).toBeGreaterThan(0), patience)
    await worker.kill()
    expect(await reminded()).toBeLessThan(due.length)
    expect(await ended()).toEqual([])
    await worker.start('invoice.dunning')
    await vi.waitFor(async () => expect(await ended()).toHaveLength(1), patience)
    await worker.kill()

    const wrong = await platform.query(
      `select i.id from commerce.invoice i where i.id = any($1) and (i.reminder_count <> 1 or i.dunning_level <> 1 or i.dunning_fees <> 5
         or (select count(*) from kernel.event e where e.record_id = i.id and e.type = 'invoice.reminder_sent') <> 1
         or (select count(*) from crm.task t where t.related_to_id = i.id) <> 1)`,
      [due.map(({ id }) => id)],
    )
    expect(wrong).toEqual([])
    const mails = await platform.query<{ recipient: string; n: number }>(
      'select recipient, count(*)::int as n from kernel.mail where recipient = any($1) group by recipient',
      [emails],
    )
    // The invoice and its reminder.
    expect(mails.map(({ recipient }) => recipient).toSorted()).toEqual(emails.toSorted())
    expect(mails.filter(({ n }) => n !== 2)).toEqual([])
  })
})
