import type { DemoContact } from './contacts.ts'
import { escaped, type MailText } from './mail-thread.ts'
import type { DemoUser } from './organization.ts'
import type { StepText } from './vocabulary/sequences.ts'

const output = /\{\{(contact\.firstName|account\.name|sender\.name)(?: \| ([^}]*))?\}\}/g

/** The mail of a step as this contact got it. */
export function sequenceMail(
  step: StepText,
  variantId: string | null,
  { given, account }: DemoContact,
  owner: DemoUser,
): MailText {
  const { subject, bodyHtml } = step.variants?.find(({ id }) => id === variantId) ?? step
  const values: Readonly<Record<string, string | null | undefined>> = {
    'contact.firstName': given.values.firstName,
    'account.name': account.given.values.name,
    'sender.name': owner.name,
  }
  const filled = (text: string, written: (value: string) => string): string =>
    text.replaceAll(output, (_, name: string, otherwise: string = '') => written(values[name] ?? otherwise))
  const plain = (text: string): string => filled(text, (value) => value)
  return {
    subject: plain(subject!),
    bodyHtml: filled(bodyHtml!, escaped),
    bodyText: plain(bodyHtml!.replaceAll('</p><p>', '\n\n').replaceAll(/<\/?p>/g, '')),
    link: null,
  }
}
