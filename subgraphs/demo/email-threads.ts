import { parseEmail } from '../kernel/values/email-address.ts'
import { dayMs, hourMs, workTime } from './calendar.ts'
import type { DemoContact } from './contacts.ts'
import { escaped, mailThread, type MailText, type MailThread, type Reaction } from './mail-thread.ts'
import type { GeneratorInput } from './organization.ts'
import { Random } from './random.ts'
import { exchangeTexts, type ExchangeText } from './vocabulary/exchanges.ts'

const threadsMax = 16
const reactions: readonly Reaction[] = ['REPLIED', 'OPENED', 'CLICKED', 'NONE', 'REPLIED', 'BOUNCED']

/** Threads of mails with customers: some wait for an answer, some were opened or followed, some were answered. */
export function demoEmailThreads(input: GeneratorInput, contacts: readonly DemoContact[]): MailThread[] {
  const random = new Random(`email threads ${input.profile.code}`)
  // The last ones, because the first ones are in sequences, which end with an answer.
  const reachable = contacts
    .filter(({ given: { values } }) => values.email && !values.emailOptOut)
    .slice(-threadsMax)
    .flatMap((contact) => {
      const address = parseEmail(contact.given.values.email!)
      return address === null ? [] : [{ contact, address }]
    })
  return reachable.map(({ contact, address }, index) => {
    const queuedMs = workTime(random, input.midnightMs - random.whole(3, 40) * dayMs)
    const exchange = exchangeTexts[index % exchangeTexts.length]!
    const openedMs = queuedMs + random.whole(1, 5) * hourMs
    return mailThread({
      input,
      random,
      owner: contact.account.owner,
      contact,
      address,
      mails: [{ text: mailTextOf(exchange, contact), queuedMs }],
      reaction: reactions[index % reactions.length]!,
      openedMs,
      repliedMs: openedMs + random.whole(1, 20) * hourMs,
      reply: exchange.reply,
    })
  })
}

function mailTextOf({ subject, body, link }: ExchangeText, { given: { values } }: DemoContact): MailText {
  const paragraphs = [`Dear ${values.firstName ?? values.lastName ?? 'customer'},`, ...body]
  return {
    subject,
    bodyHtml: `${paragraphs.map((paragraph) => `<p>${escaped(paragraph)}</p>`).join('')}<p><a href="${link}">${link}</a></p>`,
    bodyText: [...paragraphs, link].join('\n\n'),
    link,
  }
}
