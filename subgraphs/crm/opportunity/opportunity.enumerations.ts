import { enumeration } from '../../kernel/record/column.ts'

export const OpportunityType = enumeration('OpportunityType', 'What a deal is about.', {
  NEW_BUSINESS: 'The first deal with the account.',
  EXPANSION: 'More business with a customer.',
  RENEWAL: 'The continuation of a contract.',
  OTHER: 'Anything else.',
})
export type OpportunityType = keyof typeof OpportunityType

export const ForecastCategory = enumeration('ForecastCategory', 'How an opportunity counts in a forecast.', {
  PIPELINE: 'Possible; usually an early stage.',
  BEST_CASE: 'Likely if all goes well.',
  COMMIT: 'Expected to be won.',
  OMITTED: 'Not counted; every lost opportunity.',
  CLOSED: 'Won. Only a won opportunity has this category.',
})
export type ForecastCategory = keyof typeof ForecastCategory

export const LossReason = enumeration('LossReason', 'Why an opportunity was lost.', {
  PRICE: 'The price was too high.',
  COMPETITOR: 'Another supplier was chosen.',
  NO_BUDGET: 'The customer had no budget.',
  NO_DECISION: 'The customer decided nothing.',
  TIMING: 'The time was wrong.',
  PRODUCT_FIT: 'The product did not do what was needed.',
  OTHER: 'Any other reason.',
})
export type LossReason = keyof typeof LossReason
