import { operationTypes } from '../../kernel/record/standard-resolver.ts'
import { mailbox } from './mailbox.record.ts'

export const mailboxTypes = operationTypes(mailbox, 'MAILBOXES')
