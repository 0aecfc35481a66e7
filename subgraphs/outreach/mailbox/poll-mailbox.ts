import type { ImapFlow } from 'imapflow'
import { inTransaction, type RequestContext, type Services } from '../../kernel/request.ts'
import { TaskNotBegun } from '../../kernel/work/task-refusals.ts'
import { threadTask } from '../../kernel/work/thread-task.ts'
import { parseEmail } from '../../kernel/values/email-address.ts'
import { organizationContext } from '../email/organization-context.ts'
import { imapClient, within } from './connect.ts'
import { isStoredMail } from '../email/receive-email.ts'
import type { Mailbox } from './mailbox.ts'
import type { ParsedMail, parseMail } from './parse-mail.ts'
import { fieldsOf } from '../received-mail/fields.ts'
import { judgeMail, judgedHeaders } from '../received-mail/judge-mail.ts'
import { messageIdsIn } from '../received-mail/message-ids.ts'
import { discardFiles, receiveFiles } from './receive-files.ts'
import { receiveParsed } from './receive-parsed.ts'

const parseTask = threadTask<typeof parseMail>(import.meta.url, './parse-mail', 'parseMail')

/** The first bytes of a mail that are parsed. Later parts are attachments, which are read apart. */
export const readBytesMax = 5 * 1024 * 1024
/** Mails that one poll stores; the next one continues. */
const mailsMax = 100
/** With the connection, a poll ends before its lease of five minutes does. */
const pollMsMax = 180_000
const headBytesMax = 64 * 1024
/** A poll that took longer ends after a mail, so that the next one has the time for the mails with large attachments. */
const beginMsMax = 60_000
/** After so many attempts that failed or ended the process, a mail is stored without its files, and after one more with its envelope only. */
const [triesWithFiles, triesMax] = [2, 3]
const dayMs = 86_400_000

interface Cursor {
  readonly uidValidity: string
  readonly lastUid: number
  /** Mails before this day are not new, although the server has numbered its mails anew. */
  readonly since: Date | null
}

/** Stores the mails that arrived in INBOX since the last poll; true if more are waiting, and there is room to parse them. */
export async function pollMailbox(services: Services, box: Mailbox, msMax = pollMsMax): Promise<boolean> {
  const ctx = organizationContext(services, box.organizationId)
  // The mails stay at their server while the organization may not write more.
  await services.storedBytes.take(box.organizationId, 0)
  const client = await imapClient(services, box)
  const close = (): void => client.close()
  return within(msMax, readNew(services, ctx, client, box), close).finally(close)
}

async function readNew(services: Services, ctx: RequestContext, client: ImapFlow, box: Mailbox): Promise<boolean> {
  const opened = await client.mailboxOpen('INBOX', { readOnly: true })
  const cursor = await cursorOf(ctx, box, String(opened.uidValidity), opened.uidNext)
  const range = { uid: `${cursor.lastUid + 1}:*`, ...(cursor.since && { since: cursor.since }) }
  const found = (await client.search(range, { uid: true })) || []
  // `n:*` always names the last mail, whatever its number.
  const uids = found.filter((uid) => uid > cursor.lastUid).toSorted((one, other) => one - other)
  const begun = performance.now()
  for (const uid of uids.slice(0, mailsMax)) {
    if (performance.now() - begun > beginMsMax) return true
    if (services.storedBytes.isUsedUp(box.organizationId)) return false
    if (!(await hasReceived(services, ctx, client, box, cursor.uidValidity, uid))) return false
  }
  return uids.length > mailsMax
}

/** How far the mailbox was read. The first poll begins with the next mail, and so does one after a server has lost its numbers. */
async function cursorOf(ctx: RequestContext, box: Mailbox, uidValidity: string, uidNext: number): Promise<Cursor> {
  const key = [box.organizationId, box.id]
  const [known] = await ctx.db.query<{ uidValidity: string | null; lastUid: string; polledAt: string | null }>(
    `select uid_validity::text as "uidValidity", last_uid as "lastUid", polled_at as "polledAt" from outreach.mailbox_state
     where organization_id = $1 and id = $2`,
    key,
  )
  if (known?.uidValidity === uidValidity) return { uidValidity, lastUid: Number(known.lastUid), since: null }
  const isNew = known?.uidValidity == null
  const lastUid = isNew ? uidNext - 1 : 0
  await ctx.db.query(
    `insert into outreach.mailbox_state (organization_id, id, uid_validity, last_uid) values ($1, $2, $3::numeric, $4)
     on conflict (organization_id, id) do update set uid_validity = excluded.uid_validity, last_uid = excluded.last_uid, tried_uid = null`,
    [...key, uidValidity, lastUid],
  )
  // Mails that are stored already have a known Message-ID.
  return { uidValidity, lastUid, since: isNew ? null : new Date(Date.parse(known.polledAt ?? '') - 2 * dayMs) }
}

/** False if too many tasks wait for threads: that is no fault of the mail, so this try does not count. */
async function hasReceived(...of: Parameters<typeof receive>): Promise<boolean> {
  try {
    await receive(...of)
    return true
  } catch (error) {
    if (!(error instanceof TaskNotBegun)) throw error
    const [, { db }, , box, , uid] = of
    await db.query(
      `update outreach.mailbox_state set tries = tries - 1 where organization_id = $1 and id = $2 and tried_uid = $3 and tries > 0`,
      [box.organizationId, box.id, uid],
    )
    return false
  }
}

/** Stores one mail. The number up to which the mailbox was read changes in the same transaction, so no mail is lost or stored twice. */
async function receive(
  services: Services,
  ctx: RequestContext,
  client: ImapFlow,
  box: Mailbox,
  uidValidity: string,
  uid: number,
): Promise<void> {
  const tries = await countTry(ctx, box, uid)
  const content = tries > triesMax ? 'UNREADABLE' : await contentOf(services, client, box, uid)
  const { mail, mayHaveFiles } =
    content === 'UNREADABLE' ? { mail: await envelopeOf(client, uid), mayHaveFiles: false } : content
  const hasFiles = mail && mayHaveFiles && tries <= triesWithFiles && !(await isStoredMail(ctx, mail.messageId))
  const received = hasFiles ? await receiveFiles(services, ctx, client, box, uid) : null
  const files = received?.files ?? []
  let isStored = false
  try {
    isStored = await inTransaction(ctx, async (inner) => {
      const [isNext] = await inner.db.query(
        `update outreach.mailbox_state set last_uid = $4, tried_uid = null, tries = 0, received_count = received_count + 1
         where organization_id = $1 and id = $2 and uid_validity = $3::numeric and last_uid < $4 returning 1`,
        [box.organizationId, box.id, uidValidity, uid],
      )
      if (!isNext || !mail) return false
      return receiveParsed(
        inner,
        box,
        received?.attachments.length ? { ...mail, attachments: received.attachments } : mail,
        files,
      )
    })
  } finally {
    if (!isStored) await discardFiles(services, box, files)
  }
  if (mail)
    await services.storedBytes.count(
      box.organizationId,
      mail.subject.length + (mail.bodyHtml ?? '').length + (mail.bodyText ?? '').length,
    )
}

/** Counts before the mail is read, so that one that ends the process is counted too. */
async function countTry({ db }: RequestContext, box: Mailbox, uid: number): Promise<number> {
  const [row] = await db.query<{ tries: number }>(
    `update outreach.mailbox_state set tries = case when tried_uid = $3 then tries + 1 else 1 end, tried_uid = $3
     where organization_id = $1 and id = $2 returning tries`,
    [box.organizationId, box.id, uid],
  )
  return row?.tries ?? 1
}

interface Content {
  /** Null if somebody has deleted the mail in the meantime. */
  readonly mail: ParsedMail | null
  readonly mayHaveFiles: boolean
}

async function contentOf(
  services: Services,
  client: ImapFlow,
  box: Mailbox,
  uid: number,
): Promise<Content | 'UNREADABLE'> {
  const query = { source: { start: 0, maxLength: readBytesMax } }
  const fetched = await client.fetchOne(String(uid), query, { uid: true })
  if (!fetched || !fetched.source) return { mail: null, mayHaveFiles: false }
  const isWhole = fetched.source.length < readBytesMax
  const parsed = await services.work.run(
    parseTask,
    { source: new Uint8Array(fetched.source) },
    box.organizationId,
    'OUTSIDE',
  )
  return parsed ? { mail: parsed, mayHaveFiles: !isWhole || parsed.attachments.length > 0 } : 'UNREADABLE'
}

/** What the mail server itself tells about a mail that cannot be parsed. */
async function envelopeOf(client: ImapFlow, uid: number): Promise<ParsedMail | null> {
  const wanted = { envelope: true, headers: [...judgedHeaders] }
  const fetched = await client.fetchOne(String(uid), wanted, { uid: true })
  if (!fetched) return null
  const { from = [], to = [], subject = '', messageId = '', inReplyTo = '', date } = fetched.envelope ?? {}
  const addresses = (all: readonly { address?: string | undefined }[]) =>
    all.map(({ address }) => parseEmail(address ?? '')).filter((email) => email !== null)
  const sender = addresses(from)[0] ?? null
  const headers = [...fieldsOf((fetched.headers ?? Buffer.alloc(0)).subarray(0, headBytesMax).toString('latin1'))]
  return {
    messageId: messageIdsIn(messageId)[0] ?? `<${fetched.uid}.${Date.parse(String(date)) || 0}@no-id.invalid>`,
    inReplyTo: messageIdsIn(inReplyTo)[0] ?? null,
    references: [],
    from: sender,
    to: addresses(to).slice(0, 100),
    cc: [],
    subject: subject.replaceAll('\0', '').toWellFormed().slice(0, 10_000),
    sentAt: date instanceof Date && Number.isFinite(date.getTime()) ? date.toISOString() : null,
    bodyHtml: null,
    bodyText: 'The mail could not be read, because it is too large or too complex. See it in the mailbox.',
    attachments: [],
    judgement: judgeMail({ headers, subject, from: sender ?? '', text: '', parts: [] }),
  }
}
