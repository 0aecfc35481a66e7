import { newId } from '../../subgraphs/kernel/ids.ts'
import type { Sender } from './sender.ts'

let actions = 0

const needed = () => ({
  label: 'Check the stock',
  url: 'https://erp.example.com/stock',
  inputSchema: { type: 'object', properties: { sku: { type: 'string' } } },
  outputSchema: { type: 'object', properties: { stock: { type: 'integer' } } },
})

const rest = ({ member }: Sender) => ({
  description: 'Asks the ERP for the stock of a product.',
  kind: 'READ',
  idempotent: true,
  maxRetries: 0,
  timeoutMs: 2_000,
  objectTypes: ['ACCOUNT'],
  allowManual: true,
  exposeAsTool: true,
  toolDescription: 'Returns how many pieces of a product are in stock.',
  isActive: true,
  ownerId: member.userId,
  tags: ['erp'],
})

export const actionBodies = {
  customActionCreate: (requests: Sender, whole: boolean) =>
    Promise.resolve({ apiName: `a_${++actions}_${newId().slice(-8)}`, ...needed(), ...(whole && rest(requests)) }),
  customActionUpdate: (requests: Sender, whole: boolean) =>
    Promise.resolve(whole ? { ...needed(), ...rest(requests) } : {}),
  customActionExecute: (_requests: Sender, whole: boolean) =>
    Promise.resolve(whole ? { recordId: null, input: { sku: 'A-100' } } : {}),
}

/** An action has either a URL or a function, and its schemas have a form of their own. */
export const actionsWithForms = ['customActionCreate', 'customActionExecute', 'customActionUpdate']
