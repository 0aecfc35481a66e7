import { edgeToMany } from '../../kernel/record/edge-to-many.ts'
import { Account } from '../extended-records.ts'
import { triageCase } from './triage-case.record.ts'
import { TriageCaseConnection, TriageCaseConnectionArgs } from './triage.inputs.ts'

/** The edge from accounts to their triage cases. */
export const accountTriageCases = edgeToMany(Account, 'triageCases', {
  records: triageCase,
  types: { Connection: TriageCaseConnection, ConnectionArgs: TriageCaseConnectionArgs },
  by: 'accountId',
  nullable: true,
  description: 'Triage cases of the account, newest first by default; null while they cannot be read.',
})
