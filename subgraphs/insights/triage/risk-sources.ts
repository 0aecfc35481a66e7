/**
 * The columns, `object.column`, from which risk and health follow and which a profile can hide. A caller whose profile hides one of them
 * gets none of the figures: it could otherwise be subtracted out of them.
 */
export const riskSources = [
  'activity.accountId',
  'activity.direction',
  'activity.outcome',
  'activity.sentiment',
  'case.accountId',
  'contact.accountId',
  'contact.buyingRole',
  'contact.lastActivityDate',
  'invoice.customerId',
  'invoice.dueDate',
  'invoice.issueDate',
  'invoice.payments',
  'opportunity.baseAmount',
  'opportunity.closedAt',
  'opportunity.type',
] as const
