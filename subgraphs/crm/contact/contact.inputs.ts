import { operationTypes } from '../../kernel/record/standard-resolver.ts'
import { contact } from './contact.record.ts'

export const contactTypes = operationTypes(contact, 'CONTACTS')
