import type { RequestContext } from '../../kernel/request.ts'
import { mailContent } from '../../kernel/mail/mail-content.ts'
import { queueMail } from '../../kernel/mail/queue-mail.ts'

interface Recipient {
  readonly to: string
  readonly expiresAt: Date
  readonly withheld?: boolean
}

const ignore = 'If this was not you, ignore this mail: nothing happens without the link.'
const noticeLifeMs = 2 * 86_400_000

/** Where links begin: at an allowed origin that was asked for, otherwise at the platform. */
function linkBase({ settings }: RequestContext, origin?: string | null): string {
  const wanted = origin?.replace(/\/$/, '').toLowerCase()
  return settings.allowedOrigins.find((allowed) => allowed === wanted) ?? settings.publicUrl
}

const link = (ctx: RequestContext, path: string, token: string, origin?: string | null): string =>
  `${linkBase(ctx, origin)}${path}?token=${token}`

export const verifyEmailMail = (ctx: RequestContext, to: Recipient, token: string, origin?: string | null) =>
  queueMail(ctx, {
    ...to,
    ...mailContent({
      subject: 'Confirm your email address',
      lines: ['Welcome. Please confirm that this is your email address. The link works once, within 24 hours.'],
      action: { label: 'Confirm the address', url: link(ctx, '/v1/auth/verify-email', token, origin) },
      closing: [ignore],
    }),
  })

export const magicLinkMail = (ctx: RequestContext, to: Recipient, token: string) =>
  queueMail(ctx, {
    ...to,
    ...mailContent({
      subject: 'Your sign-in link',
      lines: ['Follow this link to sign in. It works once, within 15 minutes. Give it to nobody.'],
      action: { label: 'Sign in', url: link(ctx, '/v1/auth/magic-link', token) },
      closing: [ignore],
    }),
  })

export const resetCodeMail = (ctx: RequestContext, to: Recipient, code: string) =>
  queueMail(ctx, {
    ...to,
    ...mailContent({
      subject: 'Your code for a new password',
      lines: ['Somebody wants to set a new password for your account. The code works once, within 15 minutes.'],
      action: { code },
      closing: ['If this was not you, ignore this mail and give the code to nobody: your password stays as it is.'],
    }),
  })

export const passwordChangedMail = (ctx: RequestContext, to: string) =>
  queueMail(ctx, {
    to,
    expiresAt: new Date(ctx.clock.now().getTime() + noticeLifeMs),
    ...mailContent({
      subject: 'Your password was changed',
      lines: ['The password of your account was changed, and all sessions were ended.'],
      closing: ['If this was not you, set a new password at once and tell the administrator of your organization.'],
    }),
  })

interface Invitation {
  readonly organization: string
  readonly invitedBy: string
  readonly token: string
}

/** The link leads to a page that asks for name and password, so it belongs to the web application. */
export const invitationMail = (ctx: RequestContext, to: Recipient, { organization, invitedBy, token }: Invitation) =>
  queueMail(ctx, {
    ...to,
    ...mailContent({
      subject: `Invitation to ${organization}`,
      lines: [`${invitedBy} invites you to work with ${organization}. The link works once, within 7 days.`],
      action: {
        label: 'Accept the invitation',
        url: link(ctx, '/accept-partner-invite', token, ctx.settings.allowedOrigins[0]),
      },
      closing: ['Without a web application: POST the token of the link to /v1/auth/accept-partner-invite.', ignore],
    }),
  })
