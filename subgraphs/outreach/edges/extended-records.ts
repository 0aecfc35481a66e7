import { extendedEntity } from '../../kernel/record/extended-entity.ts'

// The record types of other subgraphs that have edges to mails and enrollments. A subgraph has one class for each type.

export const Account = extendedEntity('Account')
export const Contact = extendedEntity('Contact')
export const Lead = extendedEntity('Lead')
export const Opportunity = extendedEntity('Opportunity')
export const Case = extendedEntity('Case')
