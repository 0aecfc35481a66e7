import {
  address,
  brand,
  common,
  created,
  hoursAfter,
  itemsOf,
  part,
  pick,
  some,
  whole,
  type Columns,
} from './column-values.ts'
import * as words from './words.ts'

export const accountColumns: Columns = {
  ...common('account'),
  name: `case ${whole(3, 20)} when 0 then ${brand(21)} || ' ' || ${pick(words.trades, 23)} || ' ' || ${pick(words.legalForms, 24)}
    when 1 then ${pick(words.trades, 23)} || ' ' || ${brand(21)} || ' of ' || ${pick(words.cities, 25)}
    else ${brand(21)} || ' & ' || ${brand(26)} || ' ' || ${pick(words.trades, 23)} end`,
  type: some(0.9, 28, pick(['CUSTOMER', 'PROSPECT', 'PARTNER', 'RESELLER', 'OTHER', 'COMPETITOR'], 29)),
  industry: some(0.85, 30, pick(words.industries, 31, 3)),
  website: some(0.7, 32, `'https://www.' || lower(${brand(21)}) || i % 997 || '.example'`),
  domain: some(0.7, 32, `lower(${brand(21)}) || i % 997 || '.example'`),
  phone: some(0.6, 33, `'+49 40 ' || lpad(${whole(10_000_000, 34)}::text, 7, '0')`),
  fax: some(0.1, 35, `'+49 41 ' || lpad(${whole(10_000_000, 36)}::text, 7, '0')`),
  description: some(0.5, 37, `${pick(words.details, 38)} || ' ' || ${brand(39)} || ' was the first contact.'`),
  parent_account_id: some(0.3, 41, `pg_temp.earlier('account', i, 42)`),
  legacy_crm_id: some(0.3, 43, `'legacy-' || substr(md5('l' || i), 1, 8)`),
  number_of_employees: some(0.7, 44, `5 + ${whole(90_000, 45, 4)}`),
  annual_revenue: some(0.6, 46, `round((power(${part(47)}, 3) * 90000000)::numeric, 2)`),
  ...address('billing', 50),
  ...address('shipping', 60),
  account_status: pick(['ACTIVE', 'INACTIVE', 'PENDING', 'CHURNED'], 70, 3),
  rating: some(0.6, 71, pick(['WARM', 'COLD', 'HOT'], 72)),
  health_score: some(0.7, 73, `round((100 * ${part(74)})::numeric, 1)`),
  lifetime_value: some(0.5, 75, `round((power(${part(76)}, 2) * 700000)::numeric, 2)`),
  churn_risk: some(0.8, 77, pick(['NONE', 'LOW', 'MEDIUM', 'HIGH'], 78)),
  pain_points: itemsOf(words.problems, 80),
  tech_stack: itemsOf(words.technologies, 83),
  competitors: itemsOf(words.competitors, 86),
  is_strategic: `${part(89)} < 0.03`,
  tier: some(0.7, 90, pick(['BRONZE', 'SILVER', 'GOLD', 'PLATINUM'], 91, 3)),
  region: some(0.9, 92, pick(['EMEA', 'AMER', 'APAC', 'ANTARCTICA'], 93, 3)),
  last_activity_date: some(0.8, 94, hoursAfter(created, 30_000, 95)),
  next_activity_date: some(0.3, 96, `${hoursAfter(created, 30_000, 97)} + make_interval(hours => ${whole(2000, 98)})`),
}

export const contactColumns: Columns = {
  ...common('contact'),
  name: `${brand(170)} || ' ' || ${brand(172)}`,
  salutation: some(0.4, 174, pick(['Ms.', 'Mr.', 'Dr.'], 175)),
  first_name: brand(170),
  last_name: brand(172),
  email: some(0.9, 176, `lower(${brand(170)}) || '.' || i || '@' || lower(${brand(21)}) || i % 997 || '.example'`),
  normalized_email: some(
    0.9,
    176,
    `lower(${brand(170)}) || '.' || i || '@' || lower(${brand(21)}) || i % 997 || '.example'`,
  ),
  secondary_emails: `case when ${part(177)} < 0.1 then array['p' || i || '@mail.example'] else '{}' end`,
  email_status: pick(['VALID', 'UNKNOWN', 'BOUNCED', 'UNSUBSCRIBED', 'COMPLAINED'], 178, 3),
  phone: some(0.6, 179, `'+49 40 ' || lpad(${whole(10_000_000, 180)}::text, 7, '0')`),
  mobile_phone: some(0.5, 181, `'+49 17' || lpad(${whole(100_000_000, 182)}::text, 8, '0')`),
  title: some(0.8, 183, `${pick(words.trades, 184)} || ' Manager'`),
  department: some(0.6, 185, pick(['Operations', 'Purchasing', 'IT', 'Finance'], 186)),
  seniority: some(0.7, 187, pick(['INDIVIDUAL', 'MANAGER', 'DIRECTOR', 'VP', 'C_LEVEL', 'OTHER'], 188)),
  account_id: some(0.95, 189, `pg_temp.related('account', i, 190)`),
  reports_to_id: some(0.3, 191, `pg_temp.earlier('contact', i, 192)`),
  buying_role: some(0.4, 193, pick(['END_USER', 'INFLUENCER', 'DECISION_MAKER', 'CHAMPION', 'EVALUATOR'], 194)),
  is_primary: 'false',
  lead_source: some(0.8, 195, pick(['WEB', 'REFERRAL', 'EVENT', 'IMPORT', 'OUTBOUND', 'PARTNER'], 196)),
  lifecycle_stage: some(0.9, 197, pick(['LEAD', 'CUSTOMER', 'OPPORTUNITY', 'MQL', 'SQL', 'SUBSCRIBER'], 198)),
  ...address('mailing', 200),
  linkedin_url: some(0.3, 210, `'https://www.linkedin.com/in/p' || i`),
  timezone: some(0.3, 211, pick(['Europe/Berlin', 'Europe/Oslo', 'America/New_York'], 212)),
  language: some(0.4, 213, pick(['en', 'de', 'sv', 'fr'], 214)),
  do_not_call: `${part(215)} < 0.03`,
  email_opt_out: `${part(216)} < 0.08`,
  consent: some(0.5, 217, `jsonb_build_object('status', ${pick(['GRANTED', 'UNKNOWN', 'DENIED'], 218)})`),
  engagement_score: some(0.6, 219, `round((100 * ${part(220)})::numeric, 1)`),
  last_activity_date: some(0.7, 221, hoursAfter(created, 30_000, 222)),
  last_contacted_at: some(0.6, 223, hoursAfter(created, 30_000, 224)),
  status: pick(['ACTIVE', 'INACTIVE'], 225, 4),
}

const dealAmount = `round((500 + power(${part(404)}, 3) * 400000)::numeric, 2)`
const dealStage = pick(
  ['CLOSED_WON', 'CLOSED_LOST', 'PROPOSAL', 'QUALIFICATION', 'PROSPECTING', 'NEGOTIATION', 'NEEDS_ANALYSIS'],
  405,
)
const byStage = (values: Readonly<Record<string, string>>, otherwise: string): string =>
  `case ${dealStage} ${Object.entries(values)
    .map(([stage, value]) => `when '${stage}' then ${value}`)
    .join(' ')} else ${otherwise} end`
const dealProbability = byStage(
  { CLOSED_WON: '100', CLOSED_LOST: '0', PROPOSAL: '55', QUALIFICATION: '20', PROSPECTING: '10', NEGOTIATION: '80' },
  '35',
)
const dealCloses = `${created} + make_interval(days => 20 + ${whole(300, 406)})`

export const opportunityColumns: Columns = {
  ...common('opportunity'),
  name: `${brand(400)} || ' - ' || ${pick(words.trades, 402)}`,
  account_id: `pg_temp.related('account', i, 403)`,
  amount: dealAmount,
  currency: pick(['EUR', 'USD', 'GBP', 'SEK'], 407, 3),
  pipeline_id: '(select p.id from crm.pipeline p where p.organization_id = pg_temp.organization(i) and p.is_default)',
  stage: dealStage,
  probability: dealProbability,
  expected_revenue: `${dealAmount} * ${dealProbability} / 100`,
  base_amount: some(0.9, 408, dealAmount),
  exchange_rate: some(0.9, 408, '1'),
  forecast_category: byStage(
    { CLOSED_WON: `'CLOSED'`, CLOSED_LOST: `'OMITTED'`, PROPOSAL: `'BEST_CASE'`, NEGOTIATION: `'COMMIT'` },
    `'PIPELINE'`,
  ),
  close_date: dealCloses,
  original_close_date: dealCloses,
  close_date_push_count: whole(5, 409, 3),
  type: some(0.9, 410, pick(['NEW_BUSINESS', 'RENEWAL', 'EXPANSION', 'OTHER'], 411)),
  lead_source: some(0.7, 412, pick(['REFERRAL', 'WEB', 'EVENT', 'PARTNER'], 413)),
  primary_contact_id: some(0.8, 414, `pg_temp.related('contact', i, 415)`),
  contact_ids: `case when ${part(414)} < 0.8 then array[pg_temp.related('contact', i, 415)::text, pg_temp.related('contact', i, 416)::text]
    else '{}' end`,
  next_step: some(0.6, 417, pick(words.details, 418)),
  description: some(0.5, 419, pick(words.details, 420)),
  competitors: itemsOf(words.competitors, 421),
  loss_reason: byStage({ CLOSED_LOST: pick(['PRICE', 'NO_DECISION', 'COMPETITOR', 'TIMING'], 422) }, 'null'),
  is_closed: byStage({ CLOSED_WON: 'true', CLOSED_LOST: 'true' }, 'false'),
  is_won: byStage({ CLOSED_WON: 'true' }, 'false'),
  closed_at: byStage({ CLOSED_WON: dealCloses, CLOSED_LOST: dealCloses }, 'null'),
  stage_entered_at: hoursAfter(created, 2000, 423),
  stage_history: `jsonb_build_array(jsonb_build_object('stage', ${dealStage}, 'enteredAt', ${created}, 'leftAt', null,
    'durationSeconds', null, 'changedById', null))`,
  health_score: some(0.6, 424, `round((100 * ${part(425)})::numeric, 1)`),
  last_activity_date: some(0.8, 426, hoursAfter(created, 3000, 427)),
}

export const leadColumns: Columns = {
  ...common('lead'),
  name: `${brand(300)} || ' ' || ${brand(302)}`,
  first_name: brand(300),
  last_name: brand(302),
  email: some(0.9, 304, `lower(${brand(300)}) || '.' || i || '@' || lower(${brand(305)}) || i % 997 || '.example'`),
  phone: some(0.6, 307, `'+49 40 ' || lpad(${whole(10_000_000, 308)}::text, 7, '0')`),
  company: some(0.9, 309, `${brand(305)} || ' ' || ${pick(words.trades, 310)}`),
  title: some(0.8, 311, `${pick(words.trades, 312)} || ' Manager'`),
  status: pick(['NEW', 'CONTACTED', 'CONVERTED', 'UNQUALIFIED', 'NURTURING', 'QUALIFIED'], 313),
  lead_source: pick(['WEB', 'EVENT', 'REFERRAL', 'IMPORT', 'OUTBOUND', 'OTHER'], 314),
  rating: some(0.6, 315, pick(['WARM', 'COLD', 'HOT'], 316)),
  lead_score: some(0.7, 317, whole(101, 318)),
  website: some(0.5, 319, `'https://www.' || lower(${brand(305)}) || i % 997 || '.example'`),
  industry: some(0.7, 320, pick(words.industries, 321, 3)),
  number_of_employees: some(0.5, 322, `5 + ${whole(90_000, 323, 4)}`),
  annual_revenue: some(0.4, 324, `round((power(${part(325)}, 3) * 90000000)::numeric, 2)`),
  city: some(0.7, 326, pick(words.cities, 327)),
  country: some(0.8, 328, pick(words.countries, 329)),
  description: some(0.4, 330, pick(words.details, 331)),
  first_response_at: some(0.6, 332, hoursAfter(created, 60, 333)),
  last_activity_date: some(0.7, 334, hoursAfter(created, 30_000, 335)),
  email_opt_out: `${part(336)} < 0.08`,
  do_not_call: `${part(337)} < 0.03`,
}

const finished = `${part(102)} < 0.9`
const resolvedAt = hoursAfter(created, 400, 126)
const due = `${created} + make_interval(hours => 4 + ${whole(120, 122)})`

export const caseColumns: Columns = {
  ...common('case'),
  case_number: 'pg_temp.number(i)',
  subject: `${pick(words.requests, 100)} || ' (' || ${brand(103)} || ')'`,
  description: some(0.9, 105, `${pick(words.details, 106)} || ' ' || ${pick(words.details, 107, 1)}`),
  // The job `case.autoClose` closes what was resolved more than seven days ago.
  status: `case when ${finished} then case when ${resolvedAt} > pg_temp.latest() - interval '6 days' then 'RESOLVED' else 'CLOSED' end
    else ${pick(['OPEN', 'NEW', 'PENDING_CUSTOMER', 'ESCALATED'], 109)} end`,
  priority: pick(['MEDIUM', 'LOW', 'HIGH', 'URGENT'], 110),
  type: pick(['QUESTION', 'INCIDENT', 'PROBLEM', 'BILLING', 'OTHER', 'FEATURE_REQUEST'], 111),
  origin: pick(['EMAIL', 'WEB', 'PHONE', 'PORTAL', 'CHAT', 'INTERNAL'], 112, 3),
  account_id: some(0.95, 113, `pg_temp.related('account', i, 114)`),
  contact_id: some(0.3, 115, `pg_temp.related('contact', i, 116)`),
  opportunity_id: some(0.05, 117, `pg_temp.related('opportunity', i, 118)`),
  assigned_to_id: some(0.8, 119, 'pg_temp.member(i, 120)'),
  sla_due_at: some(0.9, 121, due),
  first_response_due_at: some(0.9, 121, `${created} + make_interval(hours => 1 + ${whole(24, 123)})`),
  first_response_at: some(0.85, 124, hoursAfter(created, 60, 125)),
  resolved_at: `case when ${finished} then ${resolvedAt} end`,
  closed_at: `case when ${finished} and ${resolvedAt} <= pg_temp.latest() - interval '6 days' then ${hoursAfter(created, 500, 127)} end`,
  escalated_at: some(0.05, 128, hoursAfter(created, 90, 129)),
  escalation_level: `case when ${part(128)} < 0.05 then 1 + ${whole(3, 130, 3)} else 0 end`,
  reopen_count: whole(5, 131, 6),
  // As the job `case.slaBreach` sets it: soon after the due time of an open case, and of the few that were closed late.
  sla_breached_at: `case when ${part(121)} < 0.9 and ${due} < pg_temp.latest() - interval '1 minute'
    and (not (${finished}) or ${part(132)} < 0.07) then date_trunc('milliseconds', ${due} + interval '30 seconds') end`,
}

export const productColumns: Columns = {
  ...common('product'),
  name: `${brand(140)} || ' ' || ${pick(words.trades, 142)} || ' ' || ${pick(['Basic', 'Plus', 'Suite', 'Kit', 'Archive'], 143)}`,
  sku: `upper(substr(md5(i::text), 1, 3)) || '-' || i`,
  description: some(0.7, 144, `${brand(145)} || ': ' || ${pick(words.details, 147)}`),
  type: pick(['PRODUCT', 'SUBSCRIPTION', 'SERVICE', 'LICENSE', 'BUNDLE'], 148),
  category: pick(['HARDWARE', 'SOFTWARE', 'SUPPORT', 'CONSULTING', 'TRAINING', 'OTHER'], 149),
  list_price: `round((1 + power(${part(150)}, 4) * 90000)::numeric, 2)`,
  unit_price: some(0.6, 151, `round((1 + ${part(152)} * 900)::numeric, 2)`),
  cost_price: some(0.4, 153, `round((1 + ${part(154)} * 500)::numeric, 2)`),
  currency: pick(['EUR', 'USD', 'GBP', 'JPY', 'ISK'], 155, 3),
  billing_frequency: pick(['ONE_TIME', 'MONTHLY', 'ANNUAL', 'QUARTERLY', 'USAGE_BASED'], 156),
  is_active: `${part(157)} < 0.85`,
  features: itemsOf(words.problems, 158),
}

/** What is left of the unit price after a discount of 10 percent, and the tax of 20 percent on it; prices are whole tens. */
const quotePrice = `(10 * (1 + ${whole(4000, 170, 3)}))`

export const quoteColumns: Columns = {
  ...common('quote'),
  number: 'pg_temp.number(i)',
  quote_number: `'Q-' || lpad(pg_temp.number(i)::text, greatest(6, length(pg_temp.number(i)::text)), '0')`,
  name: `${brand(171)} || ' for ' || ${pick(words.cities, 173)}`,
  status: pick(['ACCEPTED', 'SENT', 'DRAFT', 'EXPIRED', 'REJECTED', 'CONVERTED', 'CANCELLED', 'IN_REVIEW'], 174),
  approval_status: pick(['NOT_REQUIRED', 'APPROVED', 'PENDING', 'REJECTED'], 175, 4),
  opportunity_id: some(0.8, 176, `pg_temp.related('opportunity', i, 177)`),
  account_id: some(0.95, 178, `pg_temp.related('account', i, 179)`),
  contact_id: some(0.7, 180, `pg_temp.related('contact', i, 181)`),
  line_items: `jsonb_build_array(jsonb_build_object('id', pg_temp.id_of('line', i), 'productId', pg_temp.related('product', i, 182),
    'sku', 'SKU-' || i, 'name', ${brand(183)}, 'description', null, 'quantity', 1, 'unitPrice', ${quotePrice}, 'listPrice', ${quotePrice},
    'discountPercent', 10, 'discountAmount', 0, 'taxRate', 20, 'lineTotal', ${quotePrice} * 9 / 10, 'discountShare', 0,
    'taxAmount', ${quotePrice} * 18 / 100.0, 'billingFrequency', 'MONTHLY', 'startDate', null, 'endDate', null, 'sortOrder', 0))`,
  currency: pick(['EUR', 'USD', 'GBP', 'SEK'], 185, 3),
  subtotal: `${quotePrice} * 9 / 10`,
  discount_total: '0',
  tax_total: `${quotePrice} * 18 / 100.0`,
  shipping_total: '0',
  total: `${quotePrice} * 108 / 100.0`,
  valid_until: some(0.8, 186, `${created} + make_interval(days => 30)`),
  payment_terms: pick(['NET_30', 'NET_60', 'DUE_ON_RECEIPT', 'NET_15'], 187, 3),
  terms: some(0.5, 188, pick(words.details, 189)),
  notes: some(0.3, 190, pick(words.details, 191)),
  revision: '1',
  sent_at: some(0.8, 192, hoursAfter(created, 200, 193)),
  accepted_at: some(0.4, 194, hoursAfter(created, 900, 195)),
}

/** An order has the parties, prices and texts of a quote. */
const ofQuote = [
  'number',
  'opportunity_id',
  'account_id',
  'contact_id',
  'currency',
  'subtotal',
  'discount_total',
  'tax_total',
  'shipping_total',
  'total',
  'payment_terms',
  'terms',
  'notes',
]

export const orderColumns: Columns = {
  ...common('order'),
  ...Object.fromEntries(ofQuote.map((name) => [name, quoteColumns[name]!])),
  order_number: `'O-' || lpad(pg_temp.number(i)::text, greatest(6, length(pg_temp.number(i)::text)), '0')`,
  status: pick(['FULFILLED', 'CONFIRMED', 'PROCESSING', 'DRAFT', 'PARTIALLY_FULFILLED', 'CANCELLED', 'RETURNED'], 230),
  payment_status: pick(['PAID', 'UNPAID', 'PARTIALLY_PAID', 'REFUNDED'], 231),
  invoice_status: pick(['INVOICED', 'NOT_INVOICED', 'PARTIALLY_INVOICED'], 232),
  line_items: quoteColumns['line_items']!.replace(
    "'sortOrder', 0",
    "'sortOrder', 0, 'quantityFulfilled', 0, 'quantityInvoiced', 0",
  ),
  order_date: created,
  requested_date: some(0.6, 233, `${created} + make_interval(days => 20)`),
  purchase_order_number: some(0.5, 234, `'PO-' || i`),
  fulfilled_at: some(0.5, 235, hoursAfter(created, 900, 236)),
}

const isOpen = `${part(700)} < 0.1`
const isPaid = `${part(700)} < 0.9`
const issued = created
const dueOn = `${created} + interval '30 days'`
const invoiceTotal = `round((20 + power(${part(701)}, 3) * 20000)::numeric, 2)`

export const invoiceColumns: Columns = {
  ...common('invoice'),
  currency: pick(['EUR', 'USD', 'GBP', 'SEK'], 702, 3),
  subtotal: invoiceTotal,
  discount_total: '0',
  tax_total: '0',
  shipping_total: '0',
  total: invoiceTotal,
  invoice_number: `'INV-' || lpad(pg_temp.number(i)::text, greatest(6, length(pg_temp.number(i)::text)), '0')`,
  // As the job leaves them: what is open and due is OVERDUE.
  status: `case when ${isOpen} then case when ${dueOn} < pg_temp.latest() then 'OVERDUE' else 'SENT' end
    when ${isPaid} then 'PAID' else ${pick(['VOID', 'UNCOLLECTIBLE'], 703)} end`,
  customer_id: `pg_temp.related('account', i, 704)`,
  account_id: `pg_temp.related('account', i, 704)`,
  contact_id: some(0.7, 705, `pg_temp.related('contact', i, 706)`),
  order_id: some(0.6, 707, `pg_temp.related('order', i, 708)`),
  quote_id: some(0.3, 709, `pg_temp.related('quote', i, 710)`),
  issue_date: issued,
  due_date: dueOn,
  payment_terms: pick(['NET_30', 'NET_60', 'DUE_ON_RECEIPT', 'NET_15'], 711, 3),
  line_items: quoteColumns['line_items']!,
  amount_paid: `case when not (${isOpen}) and ${isPaid} then ${invoiceTotal} else 0 end`,
  amount_credited: '0',
  amount_due: `case when not (${isOpen}) and ${isPaid} then 0 else ${invoiceTotal} end`,
  payments: `case when not (${isOpen}) and ${isPaid} then jsonb_build_array(jsonb_build_object('id', pg_temp.id_of('payment', i),
    'invoiceId', pg_temp.id_of('invoice', i), 'amount', ${invoiceTotal}, 'currency', ${pick(['EUR', 'USD', 'GBP', 'SEK'], 702, 3)}, 'paidAt', ${dueOn}, 'method', 'BANK_TRANSFER',
    'reference', 'PAY-' || i, 'note', null, 'recordedById', null, 'status', 'SUCCEEDED', 'refundedAmount', 0)) else '[]' end`,
  purchase_order_number: some(0.5, 712, `'PO-' || i`),
  terms: some(0.5, 713, pick(words.details, 714)),
  sent_at: issued,
  paid_at: `case when not (${isOpen}) and ${isPaid} then ${dueOn} end`,
  overdue_at: `case when ${isOpen} and ${dueOn} < pg_temp.latest() then ${dueOn} end`,
  reminder_count: '0',
  dunning_level: '0',
  dunning_fees: '0',
  dunning_blocked: 'true',
}

const isOfCreditNote = `${part(720)} < 0.02`
const isRefund = `${part(720)} < 0.06`
const paymentAmount = `round((20 + power(${part(721)}, 3) * 20000)::numeric, 2)`
const isReturned = `not (${isRefund}) and ${part(722)} < 0.05`

/** Payments that no invoice has: the triggers of invoices add theirs. */
export const paymentColumns: Columns = {
  id: `pg_temp.id_of('recorded payment', i)`,
  organization_id: 'pg_temp.organization(i)',
  owner_id: 'pg_temp.member(i, 1)',
  type: `case when ${isRefund} then 'REFUND' else 'PAYMENT' end`,
  invoice_id: `case when not (${isOfCreditNote}) then pg_temp.related('invoice', i, 723) end`,
  credit_note_id: `case when ${isOfCreditNote} then pg_temp.related('credit note', i, 724) end`,
  account_id: `pg_temp.related('account', i, 725)`,
  refunded_payment_id: `case when ${isRefund} and not (${isOfCreditNote}) then pg_temp.earlier('recorded payment', i, 726) end`,
  amount: paymentAmount,
  currency: pick(['EUR', 'USD', 'GBP', 'SEK'], 727, 3),
  method: pick(['BANK_TRANSFER', 'CARD', 'CHECK', 'CASH', 'OTHER'], 728, 3),
  reference: some(0.9, 729, `${pick(['SEPA', 'TR', 'Invoice', 'Transfer'], 730)} || ' ' || ${whole(90_000_000, 731)}`),
  paid_at: `${created} - make_interval(hours => ${whole(96, 732, 2)})`,
  note: some(0.1, 733, pick(words.details, 734)),
  recorded_by_id: some(0.8, 735, 'pg_temp.member(i, 736)'),
  status: `case when ${isReturned} then 'REFUNDED' else 'SUCCEEDED' end`,
  refunded_amount: `case when ${isReturned} then ${paymentAmount} else 0 end`,
  created_at: created,
  updated_at: hoursAfter(created, 2000, 737),
}

export const caseCommentColumns: Columns = {
  id: `pg_temp.id_of('comment', i)`,
  organization_id: 'pg_temp.organization(i)',
  case_id: `pg_temp.related('case', i, 160)`,
  body: `${pick(words.details, 161)} || ' ' || ${brand(162)}`,
  is_internal: `${part(164)} < 0.3`,
  author_id: 'pg_temp.member(i, 165)',
  author_type: pick(['USER', 'CONTACT', 'SYSTEM'], 166),
  created_at: created,
}

const links: Columns = {
  related_to_type: `case when ${part(170)} < 0.9 then 'ACCOUNT' end`,
  related_to_id: some(0.9, 170, `pg_temp.related('account', i, 171)`),
  account_id: some(0.9, 170, `pg_temp.related('account', i, 171)`),
  contact_id: some(0.5, 172, `pg_temp.id_from('contact' || ${whole(20_000, 173)})`),
  lead_id: some(0.1, 174, `pg_temp.id_from('lead' || ${whole(20_000, 175)})`),
  opportunity_id: some(0.3, 176, `pg_temp.related('opportunity', i, 177)`),
  case_id: some(0.1, 178, `pg_temp.related('case', i, 179)`),
}

const completed = `${part(180)} < 0.85`
const taskDue = `${created} + make_interval(hours => 4 + ${whole(400, 181)})`

export const taskColumns: Columns = {
  ...common('task'),
  ...links,
  subject: `${pick(words.requests, 182)} || ' (' || ${brand(183)} || ')'`,
  description: some(0.5, 185, pick(words.details, 186)),
  type: pick(['TODO', 'CALL', 'EMAIL', 'FOLLOW_UP', 'MEETING', 'APPROVAL'], 187),
  status: `case when ${completed} then 'COMPLETED' else ${pick(['NOT_STARTED', 'IN_PROGRESS', 'WAITING', 'CANCELLED'], 188)} end`,
  priority: pick(['MEDIUM', 'LOW', 'HIGH', 'URGENT'], 189),
  due_date: some(0.8, 190, taskDue),
  completed_at: `case when ${completed} then ${hoursAfter(created, 500, 191)} end`,
  completed_by_id: `case when ${completed} then pg_temp.member(i, 192) end`,
  is_overdue: `not (${completed}) and ${part(188)} < 0.75 and ${part(190)} < 0.8 and ${taskDue} < pg_temp.latest()`,
  assigned_to_id: some(0.9, 193, 'pg_temp.member(i, 194)'),
  source: pick(['MANUAL', 'WORKFLOW', 'SEQUENCE', 'IMPORT'], 195, 3),
}

export const activityColumns: Columns = {
  ...common('activity'),
  ...links,
  type: pick(['EMAIL', 'CALL', 'MEETING', 'NOTE', 'CHAT', 'WEB_VISIT', 'DOCUMENT_VIEW'], 200),
  direction: some(0.9, 201, pick(['OUTBOUND', 'INBOUND', 'INTERNAL'], 202)),
  subject: `${pick(words.requests, 203)} || ' (' || ${brand(204)} || ')'`,
  body: some(0.8, 206, `${pick(words.details, 207)} || ' ' || ${pick(words.details, 208, 1)}`),
  outcome: some(0.4, 209, pick(['CONNECTED', 'REPLIED', 'VOICEMAIL', 'NO_ANSWER', 'COMPLETED'], 210)),
  occurred_at: created,
  duration_seconds: some(0.4, 211, whole(3600, 212, 2)),
  actor_id: 'pg_temp.member(i, 213)',
  is_automated: `${part(214)} < 0.3`,
}
