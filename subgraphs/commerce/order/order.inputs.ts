import { operationTypes } from '../../kernel/record/standard-resolver.ts'
import { order } from './order.record.ts'

export const orderTypes = operationTypes(order, 'ORDERS')
