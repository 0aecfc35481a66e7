import { edgeToMany } from '../../kernel/record/edge-to-many.ts'
import { Account } from '../account/account.ts'
import { contactTypes } from './contact.inputs.ts'
import { contact } from './contact.record.ts'

/** The edge from an account to its contacts. */
export const accountContacts = edgeToMany(Account, 'contacts', {
  records: contact,
  types: contactTypes,
  by: 'accountId',
  nullable: true,
  description: 'Live contacts of the account that the caller sees; null if the caller lacks READ_CONTACTS.',
})
