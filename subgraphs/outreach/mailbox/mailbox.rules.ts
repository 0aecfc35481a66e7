import { Refusal, type FieldProblem } from '../../kernel/errors.ts'
import type { Outbound } from '../../kernel/outbound/outbound.ts'
import type { SerializedRule } from '../../kernel/record/definition.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { parseEmail } from '../../kernel/values/email-address.ts'
import type { Mailbox } from './mailbox.ts'
import type { MailServer } from './mailbox-secret.ts'

export const mailboxesMax = 100

/** All of them are polled. */
export const fewMailboxes: SerializedRule<Mailbox> = {
  concerns: (_ctx, _next, previous) => previous === null || previous.deletedAt !== null,
  async enforce({ db, caller }) {
    const [row] = await db.query<{ count: number }>(
      'select count(*)::int as count from outreach.mailbox where organization_id = $1 and deleted_at is null',
      [caller.organizationId],
    )
    if (row!.count < mailboxesMax) return []
    const message = `An organization must have at most ${mailboxesMax} mailboxes; delete one first.`
    return [{ path: 'email', code: 'TOO_MANY', message }]
  },
}

const servers: readonly MailServer[] = ['smtp', 'imap']
const isPort = (port: number): boolean => [25, 143, 465, 587, 993].includes(port) || port >= 1024
const hostForm =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$|^[0-9a-f:]{2,45}$/i
const lineBreak = /[\p{Cc}\p{Zl}\p{Zp}]/u

/** The host as part of a URL. */
export const urlOfHost = (host: string): URL | null => URL.parse(`http://${host.includes(':') ? `[${host}]` : host}/`)

export function valuesAreValid(next: Mailbox): FieldProblem[] {
  const problems: FieldProblem[] = []
  const add = (path: string, code: string, message: string) => problems.push({ path, code, message })
  if (!parseEmail(next.email)) add('email', 'NOT_AN_EMAIL', 'email must be an email address.')
  for (const server of servers) {
    const [host, port] = [next[`${server}Host`], next[`${server}Port`]]
    if (host !== null && (!hostForm.test(host) || !urlOfHost(host)))
      add(`${server}Host`, 'NOT_A_HOST', `${server}Host must be the name or the address of a host.`)
    if (!isPort(port))
      add(`${server}Port`, 'PORT_NOT_ALLOWED', `${server}Port must be 25, 143, 465, 587, 993 or from 1024 to 65535.`)
    for (const name of [`${server}User`, `${server}Password`] as const)
      if (lineBreak.test(next[name] ?? ''))
        add(name, 'NOT_ONE_LINE', `${name} must be one line without control characters.`)
  }
  if (next.imapHost !== null && !next.imapUser) add('imapUser', 'REQUIRED', 'imapUser is required with imapHost.')
  return problems
}

/** What is wrong with the hosts. Names are resolved only when a connection is opened, except for connections without TLS. */
export async function hostProblems(outbound: Outbound, next: Mailbox): Promise<FieldProblem[]> {
  const problems: FieldProblem[] = []
  for (const server of servers) {
    const host = next[`${server}Host`]
    const url = host !== null && hostForm.test(host) ? urlOfHost(host) : null
    if (!url) continue
    const path = `${server}Host`
    if (outbound.isRefusedAddress(url))
      problems.push({
        path,
        code: 'ADDRESS_NOT_PUBLIC',
        message: `${path} must have a public address; an operator can allow others with OUTBOUND_ALLOW.`,
      })
    else if (next[`${server}Security`] === 'NONE' && !(await outbound.isAllowedByConfiguration(url)))
      problems.push({
        path: `${server}Security`,
        code: 'TLS_REQUIRED',
        message: `${server}Security must be TLS or STARTTLS.`,
      })
  }
  return problems
}

const managers: ReadonlySet<string> = new Set(['OWNER', 'ADMIN', 'MANAGER'])

export function refuseForeignMailbox({ caller }: RequestContext, previous: Mailbox): void {
  if (caller.kind === 'SYSTEM' || previous.ownerId === caller.userId || managers.has(caller.role)) return
  const message =
    'Only the owner of the mailbox and users with the role OWNER, ADMIN or MANAGER may change it. Ask its owner.'
  throw new Refusal('PERMISSION_DENIED', message)
}
