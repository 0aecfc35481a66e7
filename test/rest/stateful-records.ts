import { newId } from '../../subgraphs/kernel/ids.ts'
import type { StateMachine } from '../../subgraphs/kernel/record/transitions.ts'
import { creditNoteStates } from '../../subgraphs/commerce/credit-note/credit-note.states.ts'
import { invoiceStates } from '../../subgraphs/commerce/invoice/invoice.states.ts'
import { orderStates } from '../../subgraphs/commerce/order/order.status.ts'
import { quoteStates } from '../../subgraphs/commerce/quote/quote.status.ts'
import { leadStates } from '../../subgraphs/crm/lead/lead.rules.ts'
import { scenarioStates } from '../../subgraphs/insights/simulation/scenario-run.ts'
import { emailTemplateStates } from '../../subgraphs/outreach/email-template/email-template.rules.ts'
import { enrollmentStates } from '../../subgraphs/outreach/enrollment/enrollment.states.ts'
import { replyDraftStates } from '../../subgraphs/outreach/reply-draft/reply-draft.states.ts'
import { sequenceStates } from '../../subgraphs/outreach/sequence/sequence.rules.ts'
import { smartEmailStates } from '../../subgraphs/outreach/smart-email/smart-email.rules.ts'
import { triageStates } from '../../subgraphs/insights/triage/triage-case.states.ts'
import { caseStates } from '../../subgraphs/support/case/case.status.ts'
import { aLine, contact, creditNote, invoice, lead, order, quote, supportCase } from '../builders.ts'
import type { Member, Platform } from '../platform.ts'
import { storedLines } from '../requests/commerce.ts'
import { insightPreparations } from '../requests/insights.ts'
import { outreachPreparations } from '../requests/outreach.ts'
import type { Sender } from '../requests/sender.ts'
import { aTriageCase, triageAction } from '../requests/triage.ts'
import type { RestCall } from '../rest-client.ts'

type Row = Readonly<Record<string, unknown>>

/** Records of a type in every state, and how its operations are called. */
export interface Stateful {
  readonly states: StateMachine<never>
  readonly table: string
  create(member: Member, platform: Platform): Promise<string>
  /** The columns of a record in a state; more than one list for a state in which records differ. No list: the state has no refusal. */
  columns?(state: string): readonly Row[]
  /** What a copy has of its own. */
  unique?(number: number): Row
  /** What belongs to a copy, such as lines in another table. */
  complete?(platform: Platform, id: string, columns: Row): Promise<void>
  /** A request that every state refuses. */
  readonly refused: string | ((state: string) => string)
  /** The requests to an operation, where more than the id is sent. */
  readonly calls?: Readonly<Record<string, readonly RestCall[]>>
  /** The parameters of every request, other than `id`. */
  parameters?(id: string, baseId: string): RestCall
}

const statusesOf = ({ transitions }: StateMachine<never>): RestCall[] =>
  Object.keys(transitions).map((status) => ({ body: { status } }))

const orderLine: Row = { ...(JSON.parse(storedLines) as Row[])[0], quantity: 2 }

const payment = (amount: number) => ({
  id: '019a0c5e-7f00-7d41-8b2e-6f1a9c3e5d70',
  invoiceId: '019a0c5e-7f00-7d41-8b2e-6f1a9c3e5d71',
  amount,
  currency: 'USD',
  method: 'CARD',
  reference: null,
  paidAt: '2027-01-10T00:00:00.000Z',
  note: null,
  recordedById: null,
  status: 'SUCCEEDED',
  refundedAmount: 0,
})

const issued = { issue_date: '2027-01-01T00:00:00Z', due_date: '2027-02-20T00:00:00Z' }
const past = { ...issued, due_date: '2027-01-20T00:00:00Z' }
const part = { payments: [payment(19)], amount_paid: 19, amount_due: 100 }
const whole = { payments: [payment(119)], amount_paid: 119, amount_due: 0 }
const lost = { uncollectible_at: '2027-01-25T00:00:00Z' }
const nothing = { total: 0, subtotal: 0, amount_due: 0, line_items: [] }

const invoiceColumns: Readonly<Record<string, readonly Row[]>> = {
  DRAFT: [{}],
  SENT: [issued, { ...issued, ...nothing, amount_due: 0.01, total: 0.01 }],
  PARTIALLY_PAID: [
    { ...issued, ...part },
    { ...past, ...part },
  ],
  OVERDUE: [past, { ...past, ...part }],
  UNCOLLECTIBLE: [
    { ...past, ...lost },
    { ...past, ...lost, ...part },
  ],
  PAID: [
    { ...issued, ...whole },
    { ...past, ...whole },
    { ...past, ...whole, ...lost },
    { ...issued, ...nothing },
  ],
  VOID: [issued, { ...issued, ...part }],
}

const credited = { issue_date: '2027-01-01T00:00:00Z' }
const creditNoteColumns: Readonly<Record<string, readonly Row[]>> = {
  DRAFT: [{}],
  ISSUED: [
    { ...credited, amount_left: 119 },
    {
      ...credited,
      amount_refunded: 19,
      amount_left: 100,
      refunds: [
        {
          id: '019a0c5e-7f00-7c63-9d2e-4cab7f3e8a51',
          amount: 19,
          method: 'CARD',
          reference: null,
          refundedAt: '2027-01-10T00:00:00.000Z',
          note: null,
          recordedById: null,
        },
      ],
    },
  ],
  VOID: [credited],
}

const sentAt = { sent_at: '2027-01-10T00:00:00Z' }
const sendable = { to_emails: ['ines@customer.example'], subject: 'Slots', body_html: '<p>Hi</p>', body_text: 'Hi' }

const executedActionId = '5f3c1a52-8a0e-5d4e-9a37-0c2b6a3f7d10'
const openActionId = '5f3c1a52-8a0e-5d4e-9a37-0c2b6a3f7d11'

async function aSequence(member: Member, platform: Platform): Promise<string> {
  const { body } = await member.rest.sequenceCreate!({ body: { name: 'Fair' } })
  await addStep(platform, body.id as string)
  return body.id as string
}

const addStep = (platform: Platform, sequenceId: string) =>
  platform.query(
    `insert into outreach.sequence_step (organization_id, id, owner_id, sequence_id, position, type, delay_days, delay_hours, delay_from,
       custom_fields, version, created_at, updated_at)
     select organization_id, $2, owner_id, id, 1, 'WAIT', 1, 0, 'PREVIOUS_STEP', '{}', 1, now(), now() from outreach.sequence where id = $1`,
    [sequenceId, newId()],
  )

async function anEnrollment(member: Member, platform: Platform): Promise<string> {
  const id = await aSequence(member, platform)
  await member.rest.sequenceToggle!({ id })
  const { id: entityId } = await contact(member, { email: `u${newId()}@customer.example` })
  const { body } = await member.rest.sequenceEnroll!({ id, body: { entityType: 'CONTACT', entityId } })
  return body.id as string
}

const idOf = async (created: Promise<{ id: string }>): Promise<string> => (await created).id

export const stateful: Readonly<Record<string, Stateful>> = {
  quote: {
    states: quoteStates,
    table: 'commerce.quote',
    create: (member) => idOf(quote(member, { lineItems: [aLine()] })),
    unique: (number) => ({ number: 5000 + number, quote_number: `Q-5${number}` }),
    refused: 'quoteRestore',
    columns: (state) => (state === 'SENT' ? [sentAt, { ...sentAt, valid_until: '2027-01-20T00:00:00Z' }] : [sentAt]),
    calls: {
      quoteSend: [{ body: { to: 'ines@customer.example' } }],
      quoteAccept: [{ body: { name: 'Ines Duarte', method: 'PHONE' } }],
      quoteDecline: [{ body: { name: 'Ines Duarte', method: 'PHONE' } }],
    },
  },
  order: {
    states: orderStates,
    table: 'commerce."order"',
    create: (member) => idOf(order(member, { lineItems: [aLine({ quantity: 2 })] })),
    columns: (state) => [{ line_items: [orderLine] }, ...(state === 'DRAFT' ? [{ line_items: [] }] : [])],
    unique: (number) => ({ number: 5000 + number, order_number: `O-5${number}` }),
    refused: 'orderRestore',
    calls: { orderFulfill: [{}, { body: { lines: [{ lineItemId: orderLine.id, quantity: 1 }] } }] },
  },
  invoice: {
    states: invoiceStates,
    table: 'commerce.invoice',
    create: (member) => idOf(invoice(member)),
    columns: (state) => invoiceColumns[state]!,
    unique: (number) => ({ invoice_number: `INV-5${number}` }),
    refused: 'invoiceRestore',
    calls: {
      invoiceRecordPayment: [
        { body: { amount: 1 } },
        { body: { amount: 119 } },
        { body: { amount: 100 } },
        { body: { amount: 0.01 } },
      ],
      invoiceRefundPayment: [{ body: {} }, { body: { amount: 1 } }].map((call) => ({
        ...call,
        paymentId: payment(1).id,
      })),
      invoiceUpdate: [{ body: { dueDate: '2027-03-01' } }],
      invoiceSend: [{ body: {} }],
    },
  },
  'credit note': {
    states: creditNoteStates,
    table: 'commerce.credit_note',
    create: async (member) => (await creditNote(member)).id as string,
    columns: (state) => creditNoteColumns[state]!,
    unique: (number) => ({ credit_note_number: `CN-5${number}` }),
    refused: 'creditNoteRestore',
  },
  lead: {
    states: leadStates,
    table: 'crm.lead',
    create: (member) => idOf(lead(member)),
    refused: 'leadRestore',
    calls: { leadUpdate: statusesOf(leadStates), leadConvert: [{ body: {} }] },
  },
  case: {
    states: caseStates,
    table: 'support."case"',
    create: (member) => idOf(supportCase(member)),
    unique: (number) => ({ case_number: 5000 + number }),
    refused: 'caseRestore',
    calls: { caseSetStatus: statusesOf(caseStates) },
  },
  sequence: {
    states: sequenceStates,
    table: 'outreach.sequence',
    create: aSequence,
    columns: (state) => (state === 'ACTIVE' ? [{}] : [{}, { step_count: 0 }]),
    complete: async (platform, id, columns) => {
      if (columns['step_count'] !== 0) await addStep(platform, id)
    },
    refused: 'sequenceRestore',
  },
  enrollment: {
    states: enrollmentStates,
    table: 'outreach.sequence_enrollment',
    create: anEnrollment,
    columns: (state) => [state === 'PAUSED' ? { next_run_at: null, remaining_ms: 1000 } : {}],
    unique: () => ({ entity_id: newId() }),
    refused: (state) => (state === 'ACTIVE' ? 'sequenceResumeEnrollment' : 'sequencePauseEnrollment'),
    parameters: (enrollmentId, sequenceId) => ({ id: sequenceId, body: { enrollmentId } }),
  },
  'reply draft': {
    states: replyDraftStates,
    table: 'outreach.reply_draft',
    create: async (member, platform) => {
      const id = newId()
      await outreachPreparations.replyDraft({ member, platform } as unknown as Sender, id)
      return id
    },
    unique: () => ({ reply_to_message_id: newId() }),
    complete: async (platform, _id, own) => {
      await platform.query(
        `insert into outreach.email_message (organization_id, id, owner_id, thread_id, direction, kind, from_email, to_emails, subject, body_text,
           status, custom_fields, version, created_at, updated_at)
         select organization_id, $1, owner_id, thread_id, 'INBOUND', 'MAIL', 'ines@customer.example', '{crm@platform.example}', 'Slots', 'When?',
           'DELIVERED', '{}', 1, now(), now() from outreach.reply_draft where id = $2`,
        [own['reply_to_message_id'], own['id']],
      )
    },
    refused: 'replyDraftUpdate',
    parameters: (draftId) => ({ draftId, body: { status: 'SENT' } }),
    calls: {
      replyDraftUpdate: statusesOf(replyDraftStates),
      replyDraftSend: [{ body: undefined }],
      replyDraftDelete: [{ body: undefined }],
    },
  },
  draft: {
    states: smartEmailStates,
    table: 'outreach.smart_email_draft',
    create: async (member) =>
      (await member.rest.smartEmailDraftCreate!({ body: { subject: 'Slots' } })).body.id as string,
    columns: (state) =>
      state === 'DISCARDED'
        ? []
        : [{ ...sendable, ...(state === 'SCHEDULED' && { scheduled_at: '2027-05-01T00:00:00Z', timezone: 'UTC' }) }],
    refused: 'smartEmailDraftRestore',
    calls: {
      smartEmailDraftSchedule: [{ body: { scheduledAt: '2027-03-04T05:06' } }],
      smartEmailDraftUpdate: [{ body: { subject: 'Other' } }],
    },
  },
  'triage case': {
    states: triageStates,
    table: 'insights.triage_case',
    create: async (member, platform) => {
      const id = newId()
      await aTriageCase({ member, platform }, id)
      return id
    },
    columns: (state) => [state === 'IGNORED' ? { ignored_at: '2027-01-20T00:00:00Z' } : {}],
    unique: () => {
      const accountId = newId()
      const [done, open] = [triageAction(accountId), triageAction(accountId)]
      return {
        account_id: accountId,
        stored_actions: [
          { ...done, id: executedActionId, status: 'EXECUTED' },
          { ...open, id: openActionId },
        ],
      }
    },
    complete: async (platform, id, { account_id: accountId }) => {
      await platform.query(
        `insert into crm.account (organization_id, id, owner_id, name, account_status, is_strategic, custom_fields, version, created_at, updated_at)
         select organization_id, $2, owner_id, 'Halvorsen Marine AS', 'ACTIVE', false, '{}', 1, now(), now() from insights.triage_case where id = $1`,
        [id, accountId],
      )
    },
    refused: 'triageActionExecute',
    calls: {
      triageSavePlan: [{ body: {} }],
      triageIgnore: [{ body: {} }],
      triageResolve: [{ body: {} }],
      triageActionExecute: [{ actionId: openActionId }],
    },
    parameters: (id) => ({ id, actionId: executedActionId }),
  },
  'email template': {
    states: emailTemplateStates,
    table: 'outreach.email_template',
    create: async (member) =>
      (await member.rest.emailTemplateCreate!({ body: { name: 'Hello', subject: 'Hi', bodyHtml: '<p>Hi</p>' } })).body
        .id as string,
    refused: 'emailTemplateRestore',
    calls: { emailTemplateUpdate: statusesOf(emailTemplateStates) },
  },
  scenario: {
    states: scenarioStates,
    table: 'insights.scenario',
    create: async (member) => (await member.rest.scenarioCreate!({ body: { name: 'More wins' } })).body.id as string,
    complete: async (platform, id, { status, owner_id: userId }) => {
      if (status !== 'RUNNING') return
      const [{ organizationId } = { organizationId: '' }] = await platform.query<{ organizationId: string }>(
        'select organization_id as "organizationId" from insights.scenario where id = $1',
        [id],
      )
      await insightPreparations.scenarioCancel({ platform, member: { organizationId, userId } } as Sender, id)
    },
    refused: (state) => (state === 'RUNNING' ? 'scenarioRun' : 'scenarioCancel'),
  },
}

let copies = 0

/** A copy of a record in a state, of this owner. Copies are much faster than what leads to the state. */
export async function copyOf(
  platform: Platform,
  { table, unique, complete }: Stateful,
  baseId: string,
  columns: Row,
): Promise<string> {
  const id = newId()
  const names = await platform.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  )
  const list = names.map(({ name }) => `"${name}"`).join(', ')
  const own = { ...unique?.(++copies), ...columns, id }
  await platform.query(
    `insert into ${table} (${list}) select ${list} from jsonb_populate_record(
       null::${table}, (select to_jsonb(t) from ${table} t where id = $1) || $2::jsonb)`,
    [baseId, JSON.stringify(own)],
  )
  await complete?.(platform, id, own)
  return id
}
