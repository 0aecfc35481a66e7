import type { Outcome } from '../queue/queue.ts'
import type { Services } from '../request.ts'

/** The record of an organization that a mail to a customer is about, such as an invoice. */
export interface MailedRecord {
  readonly organizationId: string
  /** The record type: `invoice`. */
  readonly object: string
  readonly id: string
}

/** What an organization does about its mails to customers. Mails to users are about no record. */
export interface CustomerMails {
  /** Why the address must not get the mail; null if it may. */
  refusalOf(services: Services, record: MailedRecord, recipient: string): Promise<string | null>
  /** Records that a mail is never delivered, and returns its outcome. A second call changes nothing. */
  failed(services: Services, record: MailedRecord, recipient: string, error: Error): Promise<Outcome>
}
