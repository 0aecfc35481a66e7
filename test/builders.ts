import { expect } from 'vitest'
import type { Answer } from './rest-client.ts'
import type { Member } from './platform.ts'

let skus = 0

export const anAccount = (values: object = {}) => ({ name: 'Northwind Traders', ...values })
export const aCase = (values: object = {}) => ({ subject: 'Labels print without a barcode', ...values })
/** Its SKU is its own unless it is named. */
export const aProduct = (values: object = {}) => ({
  name: 'Dock planner',
  sku: `SKU-${++skus}`,
  listPrice: 490,
  ...values,
})

async function created(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, body } = await answer
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

/** An account that is there; likewise the others. */
export const account = (member: Member, values: object = {}) =>
  created(member.rest.accountCreate!({ body: anAccount(values) }))
export const supportCase = (member: Member, values: object = {}) =>
  created(member.rest.caseCreate!({ body: aCase(values) }))
export const product = (member: Member, values: object = {}) =>
  created(member.rest.productCreate!({ body: aProduct(values) }))

/** One after another, so that ids follow the order of the list. */
export async function each<T, R>(items: readonly T[], make: (item: T) => Promise<R>): Promise<R[]> {
  const made: R[] = []
  for (const item of items) made.push(await make(item))
  return made
}
