import { edgeToReferenced, extendedEntity } from '../../kernel/record/extended-entity.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { account } from '../account/account.record.ts'

const Payment = extendedEntity('Payment', { accountId: 'Id of the account that must pay the invoice; null if none.' })

export const paymentEdges: Resource = edgeToReferenced(Payment, 'account', {
  record: account,
  by: 'accountId',
  description: 'The account that must pay the invoice; null if there is none or the caller does not see it.',
})
