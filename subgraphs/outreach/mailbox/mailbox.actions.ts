import { invalid, type FieldProblem } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { change } from '../../kernel/record/records-of.ts'
import { requireWritableRole, save } from '../../kernel/record/save.ts'
import { loadDataKeys, type RequestContext } from '../../kernel/request.ts'
import { mailbox } from './mailbox.record.ts'
import { maskedPassword, type Mailbox } from './mailbox.ts'
import { hostProblems } from './mailbox.rules.ts'
import { passwordPlace, type MailServer } from './mailbox-secret.ts'
import { recordAnswer } from './silent-server.ts'

export type MailboxContext = RequestContext<'vault' | 'outbound'>
type Values = Partial<Mailbox>

const sealedColumn = { smtp: 'sealedSmtpPassword', imap: 'sealedImapPassword' } as const
const targets = ['Host', 'Port', 'Security', 'User'] as const

const isMoved = (server: MailServer, input: Values, previous: Mailbox): boolean =>
  targets
    .map((target) => `${server}${target}` as const)
    .some((field) => input[field] !== undefined && input[field] !== previous[field])

/** Otherwise a stored password could be sent to another server. */
function needsPasswordAgain(server: MailServer, input: Values, previous: Mailbox): FieldProblem[] {
  if (!previous[sealedColumn[server]]) return []
  const name = `${server}Password` as const
  const isGiven = input[name] !== undefined && input[name] !== maskedPassword
  if (isGiven || !isMoved(server, input, previous)) return []
  const message = `${name} is required when the server or its user changes; null removes it.`
  return [{ path: name, code: 'REQUIRED', message }]
}

/** The columns of a password: what is shown, and what is sealed. */
function passwordValues({ vault, caller }: MailboxContext, server: MailServer, id: string, input: Values) {
  const given = input[`${server}Password`]
  if (given === undefined || given === maskedPassword) return { shown: {}, sealed: {} }
  const place = passwordPlace(server, caller.organizationId, id)
  return {
    shown: { [`${server}Password`]: given === null ? null : maskedPassword },
    sealed: { [sealedColumn[server]]: given === null ? null : vault.seal(caller.organizationId, place, given) },
  }
}

/** The values to write, with passwords sealed. */
function valuesOf(ctx: MailboxContext, id: string, { smtpPassword, imapPassword, ...values }: Values) {
  const passwords = {
    ...(smtpPassword !== undefined && { smtpPassword }),
    ...(imapPassword !== undefined && { imapPassword }),
  }
  const [smtp, imap] = [passwordValues(ctx, 'smtp', id, passwords), passwordValues(ctx, 'imap', id, passwords)]
  return {
    values: { ...values, ...smtp.shown, ...imap.shown } as Values,
    implied: { ...smtp.sealed, ...imap.sealed } as Values,
  }
}

const withoutMask = (input: Values): Values =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== maskedPassword))

export async function createMailbox(ctx: MailboxContext, input: Values): Promise<Mailbox> {
  requireWritableRole(ctx)
  await refuseHosts(ctx, {
    imapHost: null,
    smtpSecurity: 'TLS',
    imapSecurity: 'TLS',
    ...withoutNulls(input),
  } as Mailbox)
  await loadDataKeys(ctx)
  const id = input.id?.toLowerCase() ?? newId()
  const { values, implied } = valuesOf(ctx, id, withoutMask(input))
  return save(ctx, mailbox, { operation: 'CREATE', previous: null, values: { ...values, id }, implied })
}

const withoutNulls = (input: Values): Values =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null && value !== undefined))

export async function updateMailbox(
  ctx: MailboxContext,
  id: string,
  input: Values,
  expectedVersion: number | null | undefined,
): Promise<Mailbox> {
  requireWritableRole(ctx)
  await loadDataKeys(ctx)
  return change(
    ctx,
    mailbox,
    id,
    async (previous, inner) => {
      const problems = (['smtp', 'imap'] as const).flatMap((server) => needsPasswordAgain(server, input, previous))
      if (problems.length > 0) throw invalid(...problems)
      await refuseHosts(inner, { ...previous, ...withoutNulls(input) })
      if (isMoved('smtp', input, previous)) await recordAnswer(inner, previous)
      return { operation: 'UPDATE', ...valuesOf(inner, previous.id, withoutMask(input)) }
    },
    { expectedVersion },
  )
}

async function refuseHosts({ outbound }: MailboxContext, next: Mailbox): Promise<void> {
  const problems = await hostProblems(outbound, next)
  if (problems.length > 0) throw invalid(...problems)
}
