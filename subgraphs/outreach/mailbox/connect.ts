import { isIP } from 'node:net'
import type { ImapFlow, ImapFlowOptions } from 'imapflow'
import type Mail from 'nodemailer/lib/mailer/index.js'
import type { SMTPTransportOptions } from 'nodemailer/lib/smtp-transport/index.js'
import type { RefusedRecipient } from '../../kernel/mail/outgoing-mail.ts'
import type { Services } from '../../kernel/request.ts'
import { passwordPlace, type MailServer } from './mailbox-secret.ts'
import type { Mailbox } from './mailbox.ts'

const [connectMs, idleMs] = [10_000, 20_000]
/** Until the sign-in has succeeded. A server that sends a line now and then never reaches the other limits. */
const signInMsMax = 30_000

/** Waits for the work at most so long; afterwards it is ended. */
export async function within<T>(msMax: number, work: Promise<T>, end: () => void): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`The mail server did not finish within ${msMax / 1000} seconds.`))
      end()
    }, msMax)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

type ConnectServices = Pick<Services, 'outbound' | 'vault'>

async function passwordOf({ vault }: ConnectServices, server: MailServer, box: Mailbox): Promise<string> {
  const sealed = server === 'smtp' ? box.sealedSmtpPassword : box.sealedImapPassword
  if (!sealed) return ''
  await vault.load(box.organizationId, sealed)
  return vault.open(box.organizationId, passwordPlace(server, box.organizationId, box.id), sealed)
}

/** A connection goes to exactly the address that was vetted, so DNS cannot change in between; TLS still verifies the name. */
async function smtpOptions(services: ConnectServices, box: Mailbox): Promise<SMTPTransportOptions> {
  const address = await services.outbound.vettedAddress(box.smtpHost)
  const auth = box.smtpUser ? { user: box.smtpUser, pass: await passwordOf(services, 'smtp', box) } : undefined
  return {
    host: address,
    port: box.smtpPort,
    secure: box.smtpSecurity === 'TLS',
    requireTLS: box.smtpSecurity === 'STARTTLS',
    ignoreTLS: box.smtpSecurity === 'NONE',
    ...(isIP(box.smtpHost) === 0 && { tls: { servername: box.smtpHost } }),
    ...(auth && { auth }),
  }
}

/** Opens a connection of its own and signs in. */
export async function verifySmtp(services: ConnectServices, box: Mailbox, msMax = signInMsMax): Promise<void> {
  const timeouts = { connectionTimeout: connectMs, greetingTimeout: connectMs, socketTimeout: idleMs }
  const { default: SMTPConnection } = await import('nodemailer/lib/smtp-connection/index.js')
  const { auth, ...options } = await smtpOptions(services, box)
  const connection = new SMTPConnection({ ...options, ...timeouts })
  const signIn = new Promise<void>((done, failed) => {
    connection.once('error', failed).once('end', () => failed(new Error('The server closed the connection.')))
    connection.connect(() => (auth ? connection.login(auth, (error) => (error ? failed(error) : done())) : done()))
  })
  await within(msMax, signIn, () => connection.close()).finally(() => connection.close())
}

/** Sends over a connection to the server of the mailbox, which stays open for a while. Returns the refused recipients like `sendOver`. */
export function sendFromMailbox(services: Services, box: Mailbox, message: Mail.Options): Promise<RefusedRecipient[]> {
  const { smtpHost, smtpPort, smtpSecurity, smtpUser, sealedSmtpPassword } = box
  const key = `${box.organizationId} ${box.id}`
  const settings = JSON.stringify([smtpHost, smtpPort, smtpSecurity, smtpUser, sealedSmtpPassword])
  return services.smtpPools.send({ key, settings, open: () => smtpOptions(services, box) }, message)
}

/** More bytes in one answer of the server end the connection. */
const answerBytesMax = 8 * 1024 * 1024

export async function imapClient(
  services: ConnectServices,
  box: Mailbox,
  waiting: Pick<ImapFlowOptions, 'socketTimeout' | 'maxIdleTime'> = {},
  msMax = signInMsMax,
): Promise<ImapFlow> {
  const address = await services.outbound.vettedAddress(box.imapHost!)
  // Imported only here, because most processes have no mailbox to read.
  const imap = await import('imapflow')
  const client = new imap.ImapFlow({
    host: address,
    port: box.imapPort,
    ...(isIP(box.imapHost!) === 0 && { servername: box.imapHost! }),
    secure: box.imapSecurity === 'TLS',
    ...(box.imapSecurity !== 'TLS' && { doSTARTTLS: box.imapSecurity === 'STARTTLS' }),
    auth: { user: box.imapUser!, pass: await passwordOf(services, 'imap', box) },
    logger: false,
    disableAutoIdle: true,
    disableCompression: true,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: idleMs,
    maxLiteralSize: answerBytesMax,
    maxLineLength: answerBytesMax,
    maxResponseSize: 4 * answerBytesMax,
    ...waiting,
  })
  // An error after the connection is lost ends the command that waits; without a listener it would end the process.
  client.on('error', () => undefined)
  await within(msMax, client.connect(), () => client.close()).catch((error: unknown) => {
    client.close()
    throw error
  })
  return client
}
