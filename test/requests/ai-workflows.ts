import { newId } from '../../subgraphs/kernel/ids.ts'
import type { Sender } from './sender.ts'

/** An execution with this id, whose actions wait for an approval, of a new trigger. */
async function anExecution(requests: Sender, id: string): Promise<void> {
  const { platform, member } = requests
  const triggerId = newId()
  await platform.query(
    `insert into assistant.ai_trigger (organization_id, id, owner_id, name, status, logic, prompt, output_schema, require_approval,
       rate_limit_per_hour, version, created_at, updated_at)
     values ($1, $2, $3, 'Qualify', 'PAUSED', 'AND', 'Summarize.', '{}', true, 100, 1, now(), now())`,
    [member.organizationId, triggerId, member.userId],
  )
  await executionOf(requests, triggerId, id)
}

async function executionOf({ platform, member }: Sender, triggerId: string, id: string): Promise<void> {
  await platform.query(
    `insert into assistant.ai_execution (organization_id, id, trigger_id, owner_id, status, depth, input, output, plan, expires_at, created_at)
     values ($1, $2, $3, $4, 'AWAITING_APPROVAL', 1, '{}', '{}', $5, now() + interval '900 days', now())`,
    [
      member.organizationId,
      id,
      triggerId,
      member.userId,
      JSON.stringify([
        { type: 'SEND_NOTIFICATION', status: 'PLANNED', values: { message: 'x' }, resultId: null, error: null },
      ]),
    ],
  )
}

export const aiPreparations = {
  aiExecution: anExecution,
  aiExecutionApprove: anExecution,
  aiExecutionReject: anExecution,
  aiTriggerExecutions: async (requests: Sender, id: string) => {
    for (let row = 0; row < 2; row++) await executionOf(requests, id, newId())
  },
}

const task = { type: 'CREATE_TASK', config: { subject: 'Call {{record.lastName}}', description: '{{output.summary}}' } }
const outputSchema = { type: 'object', properties: { summary: { type: 'string' } }, required: ['summary'] }

/** Actions depend on the type of the event and on the schema of the answer. */
const whole = {
  eventType: 'lead.created',
  conditions: [{ field: 'company', operator: 'EQUALS', value: 'Halvorsen Marine AS' }],
  logic: 'AND',
  description: 'Reads web forms.',
  outputSchema,
  actions: [task],
  requireApproval: true,
  rateLimitPerHour: 10,
}

export const aiBodies = {
  aiTriggerCreate: ({ member }: Sender, isWhole: boolean) =>
    Promise.resolve({
      name: 'Qualify',
      prompt: 'Summarize.',
      ...(isWhole && { ...whole, status: 'PAUSED', ownerId: member.userId, id: newId() }),
    }),
  aiTriggerUpdate: ({ member }: Sender, isWhole: boolean) =>
    Promise.resolve({
      name: 'Other',
      ...(isWhole && { ...whole, prompt: 'Say more.', status: 'ACTIVE', ownerId: member.userId }),
    }),
  aiTriggerTest: (_requests: Sender, isWhole: boolean) =>
    Promise.resolve(isWhole ? { payload: { record: { lastName: 'Halvorsen' } } } : {}),
}

/** Each of them decides an execution, which no second one can. */
export const aiOnce = ['aiExecutionApprove', 'aiExecutionReject']
