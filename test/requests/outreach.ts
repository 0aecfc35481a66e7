import { newId } from '../../subgraphs/kernel/ids.ts'
import { readyFile } from './files.ts'
import type { Sender } from './sender.ts'

/** A thread of mails with this id, because no operation creates one without sending a mail. */
async function aThread({ platform, member }: Sender, id: string): Promise<void> {
  await platform.query(
    `insert into outreach.email_thread (organization_id, id, owner_id, subject, status, custom_fields, version, created_at, updated_at)
     values ($1, $2, $3, 'Dock slots', 'OPEN', '{}', 1, now(), now())`,
    [member.organizationId, id, member.userId],
  )
}

/** A mail that was sent, in a thread of its own. */
async function aMessage(requests: Sender): Promise<string> {
  const [threadId, id] = [newId(), newId()]
  await aThread(requests, threadId)
  await requests.platform.query(
    `insert into outreach.email_message (organization_id, id, owner_id, thread_id, direction, kind, from_email, to_emails, subject, body_text, status,
       custom_fields, version, created_at, updated_at)
     values ($1, $2, $3, $4, 'OUTBOUND', 'MAIL', 'crm@platform.example', '{ines.duarte@example.com}', 'Dock slots', 'Hello', 'SENT', '{}', 1, now(), now())`,
    [requests.member.organizationId, id, requests.member.userId, threadId],
  )
  return id
}

/** A suggested reply with this id, in a thread of its own. */
async function aReplyDraft(
  { platform, member }: Sender,
  newRecord: string,
  path: Record<string, string> = {},
): Promise<void> {
  const id = path['draftId'] ?? newRecord
  const [threadId, messageId] = [newId(), newId()]
  await aThread({ platform, member }, threadId)
  await platform.query(
    `insert into outreach.email_message (organization_id, id, owner_id, thread_id, direction, kind, from_email, to_emails, subject, body_text, status,
       custom_fields, version, created_at, updated_at)
     values ($1, $2, $3, $4, 'INBOUND', 'MAIL', 'ines.duarte@example.com', '{crm@platform.example}', 'Dock slots', 'When?', 'DELIVERED', '{}', 1, now(), now())`,
    [member.organizationId, messageId, member.userId, threadId],
  )
  await platform.query(
    `insert into outreach.reply_draft (organization_id, id, owner_id, status, thread_id, reply_to_message_id, subject, body_html, confidence, reason,
       expires_at, custom_fields, version, created_at, updated_at)
     values ($1, $2, $3, 'PENDING', $4, $5, 'Re: Dock slots', '<p>Soon</p>', 45, 'The mail asks a question.', '2099-01-01', '{}', 1, now(), now())`,
    [member.organizationId, id, member.userId, threadId, messageId],
  )
}

/** Gives a draft what it needs to be sent, and the status. */
const draftIn =
  (status: string) =>
  async ({ platform }: Sender, id: string): Promise<void> => {
    await platform.query(
      `update outreach.smart_email_draft set status = $2, to_emails = '{ines.duarte@example.com}', subject = 'Dock slots',
         body_html = '<p>Hello</p>', body_text = 'Hello', scheduled_at = '2027-03-04', next_attempt_at = '2027-03-04', timezone = 'UTC'
       where id = $1`,
      [id, status],
    )
  }

/** Gives a draft a variant, because the first call writes them and stores them. */
async function withVariants({ platform, member }: Sender, id: string): Promise<void> {
  const variant = { tone: 'CONCISE', subject: 'Slots', bodyHtml: '<p>When?</p>', bodyText: 'When?', model: 'local' }
  await platform.query(
    `insert into outreach.smart_email_variant (organization_id, draft_id, variants) values ($1, $2, $3) on conflict do nothing`,
    [member.organizationId, id, JSON.stringify([{ ...variant, generatedAt: '2027-01-01T00:00:00.000Z' }])],
  )
}

async function aSuppressedAddress({ platform, member }: Sender): Promise<string> {
  const email = `u${newId()}@example.com`
  await platform.query(
    `insert into outreach.suppressed_address (organization_id, email, reason, created_at, created_by_id)
     values ($1, $2, 'MANUAL', now(), $3)`,
    [member.organizationId, email, member.userId],
  )
  return email
}

const stepId = '019a0c5e-7f00-7d11-9c55-02c4d6e8f013'

/** Gives a sequence a step; the one with this id belongs to the sequence that was prepared last. */
const stepOfSequence =
  (idOf: () => string) =>
  async ({ platform, member }: Sender, sequenceId: string): Promise<void> => {
    await platform.query(
      `insert into outreach.sequence_step (organization_id, id, owner_id, sequence_id, position, type, delay_days, delay_hours, delay_from,
         custom_fields, version, created_at, updated_at)
       values ($1, $2, $3, $4, 1, 'WAIT', 1, 0, 'PREVIOUS_STEP', '{}', 1, now(), now())
       on conflict (organization_id, id) do update set sequence_id = excluded.sequence_id`,
      [member.organizationId, idOf(), member.userId, sequenceId],
    )
  }

export const outreachPreparations = {
  emailThread: aThread,
  emailThreadClose: aThread,
  emailThreadMarkRead: aThread,
  emailThreadList: async (requests: Sender) => {
    for (let row = 0; row < 2; row++) await aThread(requests, newId())
  },
  replyDraft: aReplyDraft,
  replyDraftUpdate: aReplyDraft,
  replyDraftDelete: aReplyDraft,
  replyDraftSend: aReplyDraft,
  replyDraftList: async (requests: Sender) => {
    for (let row = 0; row < 2; row++) await aReplyDraft(requests, newId())
  },
  emailSuppressionList: async (requests: Sender) => {
    for (let row = 0; row < 2; row++) await aSuppressedAddress(requests)
  },
  emailUnsuppress: async (requests: Sender, _id: string, path: Record<string, string>) => {
    path['email'] = await aSuppressedAddress(requests)
  },
  smartEmailDraftSend: draftIn('DRAFT'),
  smartEmailDraftUnschedule: draftIn('SCHEDULED'),
  smartEmailDraftVariants: withVariants,
  sequenceToggle: stepOfSequence(newId),
  sequenceStepReorder: stepOfSequence(() => stepId),
}

export const outreachBodies = {
  emailSend: async (requests: Sender, whole: boolean) => ({
    to: ['ines.duarte@example.com'],
    subject: 'Dock slots',
    bodyHtml: '<p>Hello</p>',
    ...(whole && {
      cc: ['ida.berg@example.com'],
      bcc: ['ola.lind@example.com'],
      bodyText: 'Hello',
      fileIds: [await readyFile(requests)],
      trackOpens: true,
      trackClicks: true,
    }),
  }),
  smartEmailDraftSchedule: async (_requests: Sender, whole: boolean) => ({
    scheduledAt: '2027-03-04T05:06',
    ...(whole && { sendAt: '2027-03-04T05:06', timezone: 'Europe/Oslo' }),
  }),
  emailStatusReceive: async (requests: Sender) => ({
    messageId: await aMessage(requests),
    event: 'DELIVERED',
    timestamp: '2027-01-01T00:00:00.000Z',
  }),
  sequenceCreate: async (_requests: Sender, whole: boolean) => ({
    name: 'After the fair',
    ...(whole && {
      description: 'Visitors of our stand',
      entityTypes: ['CONTACT'],
      settings: {
        timezone: 'UTC',
        sendDays: ['MON'],
        sendStart: '09:00',
        sendEnd: '17:00',
        stopOnOpportunityStage: ['CLOSED_WON'],
      },
      tags: ['fair'],
      metadata: { source: 'fair' },
      steps: [{ type: 'EMAIL', subject: 'Dock slots', bodyHtml: '<p>Hello</p>' }],
    }),
  }),
  sequenceStepAdd: async (_requests: Sender, whole: boolean) => ({
    type: 'EMAIL',
    subject: 'Dock slots',
    bodyHtml: '<p>Hello {{contact.firstName | there}}</p>',
    ...(whole && {
      name: 'First mail',
      position: 1,
      delayDays: 1,
      delayHours: 2,
      delayFrom: 'ENROLLMENT',
      replyInThread: true,
      isActive: true,
    }),
  }),
  sequenceStepChange: async (_requests: Sender, whole: boolean) =>
    whole
      ? {
          name: 'First mail',
          subject: 'Dock slots',
          bodyHtml: '<p>Hello</p>',
          delayDays: 1,
          delayHours: 2,
          isActive: false,
        }
      : {},
  sequenceStepReorder: async () => ({ stepIds: [stepId] }),
}

const partsOfStep = {
  tags: ['stand'],
  variants: [{ id: stepId, weight: 1, subject: 'Dock slots', bodyHtml: '<p>Hello</p>' }],
  task: { subject: 'Call', priority: 'HIGH', description: 'Ask about berths.', dueInDays: 1 },
  condition: { conditions: [], logic: 'AND', onTrueStepId: stepId, onFalseStepId: stepId },
}

/** Parts that no valid body of an operation has together, for the tests of the values in them. */
export const outreachParts: Readonly<Record<string, object>> = {
  sequenceCreate: {
    steps: [{ type: 'EMAIL', delayDays: 1, delayHours: 2, metadata: {}, ...partsOfStep }],
  },
  sequenceStepAdd: partsOfStep,
  sequenceStepChange: partsOfStep,
}

/** Makes room for the next request of an operation that a limit would refuse. */
export const makeRoom: Readonly<
  Record<string, (requests: Sender, path: Readonly<Record<string, string>>) => Promise<void>>
> = {
  sequenceStepAdd: async ({ platform }, { id }) => {
    await platform.query('delete from outreach.sequence_step where sequence_id = $1', [id])
  },
  workflowCreate: async ({ platform, member }) => {
    await platform.query('update extensions.workflow set deleted_at = now() where organization_id = $1', [
      member.organizationId,
    ])
  },
  customFieldCreate: async ({ platform, member }) => {
    await platform.query(`delete from extensions.field_definition where organization_id = $1 and name <> 'sample'`, [
      member.organizationId,
    ])
  },
  validationRuleCreate: async ({ platform, member }) => {
    await platform.query('delete from extensions.validation_rule where organization_id = $1', [member.organizationId])
  },
  afterSaveTriggerCreate: async ({ platform, member }) => {
    await platform.query('delete from extensions.after_save_trigger where organization_id = $1', [
      member.organizationId,
    ])
  },
  beforeSaveHookCreate: async ({ platform, member }) => {
    await platform.query('delete from extensions.before_save_hook where organization_id = $1', [member.organizationId])
  },
  // A record type has one layout for each profile.
  layoutCreate: async ({ platform, member }) => {
    await platform.query('delete from extensions.layout where organization_id = $1', [member.organizationId])
  },
}
