import { operationTypes } from '../../kernel/record/standard-resolver.ts'
import { account } from './account.record.ts'

export const accountTypes = operationTypes(account, 'ACCOUNTS')
