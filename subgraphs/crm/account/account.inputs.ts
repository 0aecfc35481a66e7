import { connectionArgs, pageArgs } from '../../kernel/record/list-args.ts'
import { connectionOf, createInputOf, filterOf, orderOf, pageOf, updateInputOf } from '../../kernel/record/inputs.ts'
import { account } from './account.record.ts'
import { Account } from './account.ts'

export const AccountCreateInput = createInputOf('AccountCreateInput', Account)
export const AccountUpdateInput = updateInputOf('AccountUpdateInput', Account)
export const AccountFilter = filterOf('AccountFilter', Account, account.relations)
export const AccountOrder = orderOf('AccountOrder', Account)
export const AccountPage = pageOf('AccountPage', Account, 'ACCOUNTS')
export const AccountPageArgs = pageArgs(AccountFilter, AccountOrder)
export const AccountConnection = connectionOf('Account', Account, 'ACCOUNTS')
export const AccountConnectionArgs = connectionArgs(AccountFilter, AccountOrder)
