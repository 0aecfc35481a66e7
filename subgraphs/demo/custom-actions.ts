import type { CustomAction } from '../extensions/action/custom-action.ts'

const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength })
const object = (properties: object) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

const common = {
  url: null,
  idempotent: false,
  maxRetries: 0,
  timeoutMs: 10_000,
  allowManual: true,
  toolDescription: null,
  isActive: true,
} as const

/** An action that reads and is a tool of language models, and one that writes. Both are functions, so nothing leaves the platform. */
export const demoActions: readonly Partial<CustomAction>[] = [
  {
    ...common,
    apiName: 'estimate_delivery',
    label: 'Estimate a delivery',
    description:
      'Returns in how many days a delivery arrives, by its country (two letters) and its weight in kilograms.',
    function: 'estimate_delivery',
    inputSchema: object({
      country: { type: 'string', pattern: '^[A-Z]{2}$' },
      weightKg: { type: 'number', minimum: 0 },
    }),
    outputSchema: object({ days: { type: 'integer' }, zone: text(10) }),
    kind: 'READ',
    objectTypes: [],
    exposeAsTool: true,
  },
  {
    ...common,
    apiName: 'plan_visit',
    label: 'Plan a visit',
    description: 'Creates the task to visit an account.',
    function: 'plan_visit',
    inputSchema: object({ reason: text(100) }),
    outputSchema: object({ taskId: text(36) }),
    kind: 'WRITE',
    objectTypes: ['ACCOUNT'],
    exposeAsTool: false,
  },
]
