import {
  brand,
  common,
  created,
  fewId,
  fewRelated,
  hoursAfter,
  part,
  pick,
  some,
  whole,
  type Columns,
} from './column-values.ts'
import * as words from './words.ts'

/** Numbers of sequences, mailboxes and webhooks that other records name. */
export const fewRecords = { sequence: 2000, mailbox: 200, webhook: 20 }

const detail = (salt: number): string => pick(words.details, salt)
const subject = (salt: number): string => `${pick(words.requests, salt)} || ' (' || ${brand(salt + 1)} || ')'`
const address = (salt: number): string => `lower(${brand(salt)}) || '.' || i || '@bench.example'`

export const templateColumns: Columns = {
  ...common('template'),
  name: `${brand(500)} || ' ' || ${pick(words.trades, 502)}`,
  subject: subject(503),
  body_html: `'<p>' || ${detail(505)} || '</p>'`,
  body_text: detail(505),
  category: pick(['SALES', 'FOLLOW_UP', 'OTHER', 'ONBOARDING', 'SUPPORT', 'BILLING', 'MARKETING'], 506),
  status: pick(['ACTIVE', 'ARCHIVED', 'DRAFT'], 507),
  language: some(0.8, 508, pick(['en', 'de', 'fr', 'sv', 'es', 'sw'], 509, 3)),
  is_shared: `${part(510)} < 0.7`,
}

export const threadColumns: Columns = {
  ...common('thread'),
  subject: subject(520),
  status: pick(['CLOSED', 'REPLIED', 'OPEN', 'AWAITING_RESPONSE'], 522, 3),
  participants: `array[${address(523)}, pg_temp.member(i, 524) || '@bench.example']`,
  account_id: some(0.8, 525, `pg_temp.related('account', i, 526)`),
  contact_id: some(0.8, 527, `pg_temp.related('contact', i, 528)`),
  lead_id: some(0.1, 529, `pg_temp.related('lead', i, 530)`),
  opportunity_id: some(0.2, 531, `pg_temp.related('opportunity', i, 532)`),
  case_id: some(0.1, 533, `pg_temp.related('case', i, 534)`),
  message_count: `1 + ${whole(12, 535, 3)}`,
  last_message_at: hoursAfter(created, 500, 536),
  last_direction: pick(['INBOUND', 'OUTBOUND'], 537, 1),
  first_response_seconds: some(0.6, 538, whole(200_000, 539, 3)),
  open_count: whole(9, 540, 3),
  click_count: whole(4, 541, 3),
  unread: `${part(542)} < 0.04`,
}

export const messageColumns: Columns = {
  ...common('message'),
  thread_id: `pg_temp.related('thread', i, 550)`,
  direction: pick(['OUTBOUND', 'INBOUND'], 551, 1),
  kind: pick(['MAIL', 'AUTO_REPLY', 'BOUNCE'], 552, 4),
  from_email: address(553),
  to_emails: `array[${address(555)}]`,
  subject: subject(557),
  body_text: detail(559),
  status: pick(['DELIVERED', 'OPENED', 'REPLIED', 'CLICKED', 'SENT', 'BOUNCED', 'FAILED', 'COMPLAINED'], 560),
  sent_at: created,
  delivered_at: some(0.9, 561, created),
  open_count: whole(6, 562, 3),
  template_id: some(0.3, 563, `pg_temp.related('template', i, 564)`),
  mailbox_id: fewRelated('mailbox', fewRecords.mailbox, 565),
}

export const replyDraftColumns: Columns = {
  ...common('reply_draft'),
  status: pick(['SENT', 'EXPIRED', 'REJECTED'], 570),
  thread_id: `pg_temp.related('thread', i, 571)`,
  reply_to_message_id: `pg_temp.id_of('message', i)`,
  subject: `'Re: ' || ${subject(573)}`,
  body_html: `'<p>' || ${detail(575)} || '</p>'`,
  confidence: whole(101, 576),
  reason: detail(577),
  expires_at: `${created} + interval '14 days'`,
}

export const smartDraftColumns: Columns = {
  ...common('smart_draft'),
  status: pick(['SENT', 'DRAFT', 'DISCARDED', 'FAILED'], 580),
  subject: subject(581),
  body_html: `'<p>' || ${detail(583)} || '</p>'`,
  body_text: detail(583),
  to_emails: `array[${address(584)}]`,
  contact_id: some(0.9, 586, `pg_temp.related('contact', i, 587)`),
  opportunity_id: some(0.3, 588, `pg_temp.related('opportunity', i, 589)`),
  thread_id: some(0.4, 590, `pg_temp.related('thread', i, 591)`),
  tone: pick(['PROFESSIONAL', 'FRIENDLY', 'CONCISE', 'FORMAL', 'PERSUASIVE'], 592),
  purpose: some(0.8, 593, detail(594)),
  is_shared: `${part(595)} < 0.2`,
  sent_at: `case when ${part(580)} < 0.5 then ${created} end`,
  rewrites: whole(4, 596, 3),
}

export const mailboxColumns: Columns = {
  ...common('mailbox'),
  id: fewId('mailbox'),
  deleted_at: 'null::timestamptz',
  name: `${brand(600)} || ' ' || i`,
  email: address(602),
  // No worker may connect to the servers, which do not exist.
  is_enabled: 'false',
  is_shared: `${part(604)} < 0.5`,
  daily_limit: '500',
  per_minute_limit: '30',
  smtp_host: `'smtp.bench.example'`,
  smtp_port: '587',
  smtp_security: `'STARTTLS'`,
  imap_port: '993',
  imap_security: `'TLS'`,
}

export const sequenceColumns: Columns = {
  ...common('sequence'),
  id: fewId('sequence'),
  name: `${brand(610)} || ' ' || ${pick(words.trades, 612)} || ' ' || i`,
  description: some(0.5, 613, detail(614)),
  status: pick(['PAUSED', 'ARCHIVED', 'DRAFT', 'ACTIVE'], 615),
  entity_types: `array[${pick(['CONTACT', 'LEAD'], 616, 1)}]`,
  settings: `'{}'`,
  activated_at: some(0.8, 617, created),
}

const running = `${part(620)} < 0.1`
export const enrollmentColumns: Columns = {
  ...common('enrollment'),
  sequence_id: fewRelated('sequence', fewRecords.sequence, 621),
  entity_type: pick(['CONTACT', 'LEAD'], 622),
  // Each record is enrolled once, because it may run in a sequence only once.
  entity_id: `pg_temp.id_of('contact', i)`,
  account_id: some(0.8, 623, `pg_temp.related('account', i, 624)`),
  email: some(0.9, 625, address(626)),
  status: `case when ${running} then ${pick(['ACTIVE', 'PAUSED'], 628)}
    else ${pick(['COMPLETED', 'REPLIED', 'UNENROLLED', 'BOUNCED', 'UNSUBSCRIBED', 'FAILED'], 629)} end`,
  enrolled_by_id: 'pg_temp.member(i, 630)',
  sender_id: 'pg_temp.member(i, 631)',
  enrolled_at: created,
  finished_at: `case when not (${running}) then ${hoursAfter(created, 900, 632)} end`,
  contacted_at: some(0.9, 633, hoursAfter(created, 90, 634)),
  opened_at: some(0.5, 635, hoursAfter(created, 200, 636)),
  replied_at: some(0.1, 637, hoursAfter(created, 400, 638)),
}

export const suppressionColumns: Columns = {
  organization_id: 'pg_temp.organization(i)',
  email: `'s' || i || '@bench.example'`,
  reason: pick(['BOUNCED', 'UNSUBSCRIBED', 'COMPLAINED', 'MANUAL'], 640),
  created_at: created,
}

/** Within the days for which deliveries are kept. */
const delivered = `date_trunc('milliseconds', pg_temp.latest() - (pg_temp.latest() - ${created}) / 300)`

export const webhookColumns: Columns = {
  id: fewId('webhook'),
  organization_id: 'pg_temp.organization(i)',
  owner_id: 'pg_temp.reader(i)',
  version: '1',
  created_at: created,
  updated_at: created,
  name: `'Webhook ' || pg_temp.number(i)`,
  url: `'https://hooks.bench.example/' || i`,
  events: `array['record.account.created']`,
  is_enabled: 'false',
  payload_version: '1',
  retry_attempts: '3',
  retry_delay_seconds: '60',
  headers: `'{}'`,
  debounce_seconds: '0',
  skip_own: 'false',
}

export const deliveryColumns: Columns = {
  id: `pg_temp.id_of('delivery', i)`,
  organization_id: 'pg_temp.organization(i)',
  webhook_id: fewRelated('webhook', fewRecords.webhook, 650),
  first_id: `pg_temp.id_of('delivery', i)`,
  event_id: `pg_temp.id_of('event', i)`,
  event_type: `'record.account.created'`,
  event_version: '1',
  attempt: '1',
  status: pick(['SUCCEEDED', 'FAILED'], 651, 3),
  request_headers: `'{}'`,
  request_body: `'{"id":"' || i || '"}'`,
  response_status: pick(['200', '204', '500'], 652, 3).concat('::int'),
  latency_ms: whole(900, 653, 3),
  is_replay: 'false',
  is_test: 'false',
  created_at: delivered,
}

export const notificationColumns: Columns = {
  organization_id: 'pg_temp.organization(i)',
  id: `pg_temp.id_of('notification', i)`,
  user_id: 'pg_temp.reader(i)',
  event_key: pick(['case.assigned', 'task.assigned', 'lead.assigned'], 660),
  category: `'ASSIGNMENTS'`,
  title: subject(661),
  body: detail(663),
  priority: pick(['NORMAL', 'HIGH', 'LOW'], 664),
  entity_type: `'case'`,
  entity_id: `pg_temp.related('case', i, 665)`,
  group_key: `'case' || i`,
  event_id: `pg_temp.id_of('event', i)`,
  in_app: pick(['SENT', 'SUPPRESSED'], 666, 4),
  email: `'SUPPRESSED'`,
  push: `'SUPPRESSED'`,
  read_at: some(0.95, 667, hoursAfter(created, 90, 668)),
  created_at: created,
}
