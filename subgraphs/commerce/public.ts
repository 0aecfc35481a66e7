export { sentLines } from './line-item/document-amounts.ts'
export { LineItem, linesMax } from './line-item/line-item.ts'
export { pricingOf, pricingProblems } from './line-item/pricing.ts'
