import { connectionArgs, pageArgs } from '../../kernel/record/list-args.ts'
import {
  bulkItemOf,
  connectionOf,
  createInputOf,
  filterOf,
  orderOf,
  pageOf,
  updateInputOf,
} from '../../kernel/record/inputs.ts'
import { opportunity } from './opportunity.record.ts'
import { Opportunity } from './opportunity.ts'

export const OpportunityCreateInput = createInputOf('OpportunityCreateInput', Opportunity)
export const OpportunityUpdateInput = updateInputOf('OpportunityUpdateInput', Opportunity)
export const OpportunityBulkUpdateItem = bulkItemOf('OpportunityBulkUpdateItem', Opportunity)
export type OpportunityBulkUpdateItem = InstanceType<typeof OpportunityBulkUpdateItem>
export const OpportunityFilter = filterOf('OpportunityFilter', Opportunity, opportunity.relations)
export const OpportunityOrder = orderOf('OpportunityOrder', Opportunity)
export const OpportunityPage = pageOf('OpportunityPage', Opportunity, 'OPPORTUNITIES')
export const OpportunityPageArgs = pageArgs(OpportunityFilter, OpportunityOrder)
export const OpportunityConnection = connectionOf('Opportunity', Opportunity, 'OPPORTUNITIES')
export const OpportunityConnectionArgs = connectionArgs(OpportunityFilter, OpportunityOrder)
