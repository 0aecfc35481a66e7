import type { IdentityContext } from '../context.ts'
import { mailContent, type MailParts } from '../../kernel/mail/mail-content.ts'
import type { MailKind } from '../../kernel/mail/mail-limits.ts'
import { queueMail } from '../../kernel/mail/queue-mail.ts'
import { quotedName } from '../../kernel/mail/quoted-name.ts'
import {
  invitations,
  passwordNotices,
  registrationNotices,
  resetCodes,
  signInLinks,
  unverifiedOrganizationInvitations,
  verifications,
} from './mail-kinds.ts'

interface Recipient {
  readonly to: string
  readonly withheld?: boolean
}

interface Issued {
  readonly token: string
  readonly expiresAt: Date
}

/** Issues the token for a mail; not called when the limit of mails is reached. */
type Issue = () => Promise<Issued>

const ignore = 'If this was not you, ignore this mail: nothing happens without the link.'
const noticeLifeMs = 2 * 86_400_000

/** The base URL of links: the requested origin if it is allowed, otherwise the platform. */
function linkBase({ settings }: IdentityContext, origin?: string | null): string {
  const wanted = origin?.replace(/\/$/, '').toLowerCase()
  return settings.mailLinkOrigins.find((allowed) => allowed === wanted) ?? settings.publicUrl
}

const link = (ctx: IdentityContext, path: string, token: string, origin?: string | null): string =>
  `${linkBase(ctx, origin)}${path}?token=${token}`

export const verifyEmailMail = (ctx: IdentityContext, to: string, issue: Issue, origin?: string | null) =>
  queueMail(ctx, { to, kind: verifications }, async () => {
    const { token, expiresAt } = await issue()
    const content = mailContent({
      subject: 'Confirm your email address',
      lines: ['Welcome. Please confirm that this is your email address. The link works once, within 24 hours.'],
      action: { label: 'Confirm the address', url: link(ctx, '/v1/auth/verify-email', token, origin) },
      closing: [ignore],
    })
    return { ...content, expiresAt }
  })

export const magicLinkMail = (ctx: IdentityContext, recipient: Recipient, issue: Issue) =>
  queueMail(ctx, { ...recipient, kind: signInLinks }, async () => {
    const { token, expiresAt } = await issue()
    const content = mailContent({
      subject: 'Your sign-in link',
      lines: ['Follow this link to sign in. It works once, within 15 minutes. Do not share it.'],
      action: { label: 'Sign in', url: link(ctx, '/v1/auth/magic-link', token) },
      closing: [ignore],
    })
    return { ...content, expiresAt }
  })

type IssueCode = () => Promise<{ readonly code: string; readonly expiresAt: Date }>

export const resetCodeMail = (ctx: IdentityContext, recipient: Recipient, issue: IssueCode) =>
  queueMail(ctx, { ...recipient, kind: resetCodes }, async () => {
    const { code, expiresAt } = await issue()
    const content = mailContent({
      subject: 'Your code for a new password',
      lines: ['Somebody wants to set a new password for your account. The code works once, within 15 minutes.'],
      action: { code },
      closing: ['If this was not you, ignore this mail and do not share the code: your password does not change.'],
    })
    return { ...content, expiresAt }
  })

const notice = (ctx: IdentityContext, to: string, kind: MailKind, parts: MailParts) =>
  queueMail(ctx, { to, kind }, async () => ({
    ...mailContent(parts),
    expiresAt: new Date(ctx.clock.now().getTime() + noticeLifeMs),
  }))

export const passwordChangedMail = (ctx: IdentityContext, to: string) =>
  notice(ctx, to, passwordNotices, {
    subject: 'Your password was changed',
    lines: ['The password of your account was changed, and all sessions were ended.'],
    closing: ['If this was not you, set a new password at once and tell the administrator of your organization.'],
  })

export const registrationRefusedMail = (ctx: IdentityContext, to: string) =>
  notice(ctx, to, registrationNotices, {
    subject: 'You have an account already',
    lines: [
      'Somebody tried to register with your email address and a password that is not the password of your account.',
      'If this was you, sign in, request a new password, or register with the password of your account.',
    ],
    closing: ['If this was not you, ignore this mail: nothing has changed.'],
  })

interface Invitation {
  /** Names of the organization and the inviter; null unless their email addresses are verified. */
  readonly names: { readonly organization: string; readonly invitedBy: string } | null
  readonly issue: Issue
}

/** Names are user input, so they are quoted in the text and never part of the subject. */
function inviting(names: Invitation['names']): string {
  const [inviter, organization] = [quotedName(names?.invitedBy ?? ''), quotedName(names?.organization ?? '')]
  return `${inviter ?? 'Somebody'} invites you to join ${organization ? `the organization ${organization}` : 'an organization'}.`
}

/** The link opens a page of the web application that asks for name and password. */
export const invitationMail = (ctx: IdentityContext, to: string, { names, issue }: Invitation) =>
  queueMail(ctx, { to, kind: names ? invitations : unverifiedOrganizationInvitations }, async () => {
    const { token, expiresAt } = await issue()
    const content = mailContent({
      subject: 'Invitation to join an organization',
      lines: [`${inviting(names)} The link works once, within 7 days.`],
      action: {
        label: 'Accept the invitation',
        url: link(ctx, '/accept-partner-invite', token, ctx.settings.mailLinkOrigins[0]),
      },
      closing: ['Without a web application: POST the token of the link to /v1/auth/accept-partner-invite.', ignore],
    })
    return { ...content, expiresAt }
  })
