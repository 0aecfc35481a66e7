import type Mail from 'nodemailer/lib/mailer/index.js'
import type { SMTPPoolOptions } from 'nodemailer/lib/smtp-pool/index.js'
import { MailRefused } from './message.ts'
import type { RefusedRecipient } from './outgoing-mail.ts'

/** An attempt ends within this time, so that it is over before the lease of its row ends and another process repeats it. */
const sendMsMax = 90_000

const bounds = {
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 20_000,
  maxMessages: 100,
  // Servers close idle connections after a minute or more.
  idleTimeout: 30_000,
  // A mail of which nothing was sent, because the server had closed the connection, goes over another one. The queue repeats other failures.
  maxRequeues: 3,
} as const

/** Keeps its connections open for further mails: at most `maxConnections`, each for at most 100 mails and closed when idle for 30 s. */
export async function pooledTransport(options: SMTPPoolOptions & { readonly maxConnections: number }) {
  // Imported only here, because many processes send no mail.
  const { createTransport } = await import('nodemailer')
  return createTransport({ ...bounds, ...options, pool: true })
}

export type PooledTransport = Awaited<ReturnType<typeof pooledTransport>>

/** A message must not read files or addresses of the machine. */
const withoutFiles = { disableFileAccess: true, disableUrlAccess: true } as const

interface WithRefusals {
  readonly rejectedErrors?: readonly { readonly recipient?: string; readonly response?: string }[]
}

interface SmtpError extends Error, WithRefusals {
  readonly code?: string
  /** The command that the server refused. */
  readonly command?: string
  readonly response?: string
  readonly responseCode?: number
}

const refusalsOf = ({ rejectedErrors = [] }: WithRefusals): RefusedRecipient[] =>
  rejectedErrors.map(({ recipient = '', response = '' }) => ({ address: recipient, reply: response }))

/** The recipients that the server refused; empty if an error of `sendOver` has another cause. */
export const refusedBy = (error: unknown): RefusedRecipient[] =>
  refusalsOf((error instanceof MailRefused ? (error.cause ?? {}) : error) as WithRefusals)

/** What the server said when it refused the content for good, after it had accepted recipients; null if an error of `sendOver` has another cause. */
export function contentRefusal(error: unknown): string | null {
  const { command, response } = error instanceof MailRefused ? ((error.cause ?? {}) as Partial<SmtpError>) : {}
  return command === 'DATA' ? (response ?? null) : null
}

/** Whether the server gave an answer, although it did not accept the mail, in contrast to one that cannot be reached or sends none in time. */
export const hasAnswered = (error: unknown): boolean =>
  error instanceof MailRefused || (error as Partial<SmtpError>).responseCode !== undefined

/**
 * Sends a message; a permanent refusal of the mail is `MailRefused`. Returns the recipients that the server has refused, while it has
 * accepted the mail for others.
 */
export async function sendOver(
  transport: PooledTransport,
  message: Mail.Options,
  msMax = sendMsMax,
): Promise<RefusedRecipient[]> {
  try {
    return refusalsOf(await transport.sendMail({ ...message, ...withoutFiles, signal: AbortSignal.timeout(msMax) }))
  } catch (error) {
    const { code, responseCode = 0, message: reason } = error as SmtpError
    const isAboutTheMail = code === 'EENVELOPE' || code === 'EMESSAGE'
    if (isAboutTheMail && responseCode >= 500) throw new MailRefused(reason, { cause: error })
    throw error
  }
}
