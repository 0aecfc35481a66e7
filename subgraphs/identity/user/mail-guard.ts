import { Refusal } from '../../kernel/errors.ts'
import { countMail, type MailGuard, type MailKind } from '../../kernel/mail/mail-limits.ts'
import type { RequestContext, Services } from '../../kernel/request.ts'

const dayMs = 86_400_000

/** The mails of an organization in a day, because of its age; null: no such limit. */
function dailyMailsOf({ settings, clock }: RequestContext, createdAt: string): number | null {
  const ageMs = clock.now().getTime() - Date.parse(createdAt)
  return settings.newOrganizationMails.find(({ untilAgeMs }) => ageMs < untilAgeMs)?.max ?? null
}

/** Counts a mail of a new organization to others. The number of a day grows with its age. */
async function countOfOrganization(ctx: RequestContext, createdAt: string): Promise<void> {
  const max = dailyMailsOf(ctx, createdAt)
  if (max === null) return
  const hint = 'A new organization may send few mails a day; the number grows with its age.'
  const kind: MailKind = {
    name: 'NEW_ORGANIZATION',
    of: 'ORGANIZATION',
    guard: null,
    limits: [{ by: ['ORGANIZATION'], max, windowMs: dayMs, hint }],
  }
  await countMail(ctx, kind, '')
}

interface Standing {
  readonly createdAt: string
  readonly isProven: boolean
}

/** Whether the user has a verified address; without a user, whether an owner or admin has. */
async function standingOf({ db, caller }: RequestContext, userId: string | null): Promise<Standing | null> {
  const [found] = await db.query<Standing & Record<string, unknown>>(
    `select o.created_at as "createdAt", exists (
       select from identity.admin_user u
       where u.organization_id = o.id and u.email_verified and u.is_active and u.deleted_at is null
         and case when $2::uuid is null then u.role in ('OWNER', 'ADMIN') else u.id = $2 end) as "isProven"
     from identity.organization o where o.id = $1`,
    [caller.organizationId, userId],
  )
  return found ?? null
}

const notProven = () =>
  new Refusal(
    'EMAIL_NOT_VERIFIED',
    'Mails to others need a verified email address of their sender. Follow the link in the mail of your registration, or sign in with a mailed link.',
  )

/**
 * Mails to customers through the mail server of the platform need a verified address: of the user who sends them, or, if the platform sends
 * them on its own, of an owner or admin. A new organization may send few of them a day.
 */
export const customersGuard: MailGuard = async (ctx) => {
  const standing = await standingOf(ctx, ctx.caller.kind === 'SYSTEM' ? null : ctx.caller.userId)
  if (!standing?.isProven) throw notProven()
  await countOfOrganization(ctx, standing.createdAt)
}

/** Refuses with `EMAIL_NOT_VERIFIED` unless the user may mail others through the mail server of the platform. Counts nothing. */
export async function requireProven(ctx: RequestContext, userId: string): Promise<void> {
  if (!(await standingOf(ctx, userId))?.isProven) throw notProven()
}

/** Invitations name nobody whose address is not verified, so they need none; but a new organization may send few a day. */
export const invitationsGuard: MailGuard = async (ctx) => {
  const standing = await standingOf(ctx, null)
  if (standing) await countOfOrganization(ctx, standing.createdAt)
}

/**
 * Why a mail that was queued in the name of a user must wait or is never sent; null if it may leave. `isCounted`: it was counted when it was
 * queued; it is only asked for mails of new organizations.
 */
export async function heldMail(
  ctx: RequestContext,
  userId: string | null,
  isCounted: () => Promise<boolean>,
): Promise<{ readonly reason: string; readonly waitMs: number | null } | null> {
  const standing = await standingOf(ctx, userId)
  if (!standing?.isProven) return { reason: 'the sender has not verified the email address', waitMs: null }
  if (dailyMailsOf(ctx, standing.createdAt) === null || (await isCounted())) return null
  try {
    await countOfOrganization(ctx, standing.createdAt)
    return null
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { reason: error.message, waitMs: Number(error.extensions['retryAfter']) * 1000 }
  }
}

export async function isSuspended({ database }: Pick<Services, 'database'>, organizationId: string): Promise<boolean> {
  const found = await database.query(`select 1 from identity.organization where id = $1 and status = 'SUSPENDED'`, [
    organizationId,
  ])
  return found.length > 0
}
