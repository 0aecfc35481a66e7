import { newId } from '../../subgraphs/kernel/ids.ts'
import type { Sender } from './sender.ts'
import { freshPrefix } from './valid-values.ts'

const steps = [{ id: 'call', type: 'CREATE_TASK', config: { subject: 'Call {{record.lastName}}' } }]

const rest = ({ member }: Sender) => ({
  description: 'Calls the leads of a fair.',
  runAsUserId: member.userId,
  triggerType: 'FIELD_CHANGED',
  triggerEntity: 'LEAD',
  triggerConfig: { fields: ['status'] },
  conditions: [{ field: 'company', operator: 'EQUALS', value: 'Halvorsen Marine AS' }],
  logic: 'AND',
  steps,
  runOnce: true,
  delayMinutes: 5,
  allowManual: true,
})

const aName = () => `${freshPrefix()}workflow`

export const workflowBodies = {
  workflowCreate: (requests: Sender, whole: boolean) =>
    Promise.resolve({ name: aName(), triggerType: 'MANUAL', ...(whole && { ...rest(requests), id: newId() }) }),
  workflowUpdate: (requests: Sender, whole: boolean) =>
    Promise.resolve({ ...(whole && { name: aName(), ...rest(requests) }) }),
  workflowRunStart: (_requests: Sender, whole: boolean) =>
    Promise.resolve({ recordId: leadId, ...(whole && { recordType: 'LEAD', input: { note: 'Met at the fair' } }) }),
}

/** The lead that was created for the request whose body is made next. */
let leadId = ''

/** Gives a workflow steps, and another status than that of a new one. */
async function withSteps({ platform }: Sender, id: string, status: string): Promise<void> {
  await platform.query(
    `update extensions.workflow set steps = $2, status = $3, trigger_entity = 'LEAD', steps_version = steps_version + 1 where id = $1`,
    [
      id,
      JSON.stringify(steps.map((step) => ({ name: null, next: null, branches: null, onError: 'FAIL', ...step }))),
      status,
    ],
  )
}

/** A run with this id and status, of a new workflow, that asks all users of the organization for their approval. */
async function aRun({ platform, member }: Sender, id: string, status: string): Promise<void> {
  const { organizationId, userId } = member
  const workflowId = newId()
  const ask = { id: 'ask', type: 'APPROVAL', name: null, config: {}, next: null, branches: null, onError: 'FAIL' }
  await platform.query(
    `insert into extensions.workflow (organization_id, id, name, run_as_user_id, status, trigger_type, trigger_config, logic, steps,
       steps_version, run_once, delay_minutes, allow_manual, version, created_at, updated_at)
     values ($1, $2, $3, $4, 'PAUSED', 'MANUAL', '{}', 'AND', $5, 1, false, 0, true, 1, now(), now())`,
    [organizationId, workflowId, aName(), userId, JSON.stringify([ask])],
  )
  const cursor = { next: 'ask', frames: [], position: 1, attempt: 1, isOpen: true, waits: 0 }
  await platform.query(
    `insert into extensions.workflow_run (organization_id, id, workflow_id, workflow_version, status, state, trigger_type, depth, cursor,
       executed_steps, started_at, resume_at, is_due, next_attempt_at)
     values ($1, $2, $3, 1, $4, $5, 'MANUAL', 1, $6, 1, now(), now() + interval '900 days', false, now() + interval '900 days')`,
    [organizationId, id, workflowId, status, status === 'WAITING' ? 'QUEUED' : status, JSON.stringify(cursor)],
  )
  await platform.query(
    `insert into extensions.workflow_run_step (organization_id, run_id, position, attempt, step_id, type, status, input, started_at)
     select $1, $2, 1, 1, 'ask', 'APPROVAL', 'WAITING', jsonb_build_object('approverIds', jsonb_agg(u.id)), now()
     from identity.app_user u where u.organization_id = $1`,
    [organizationId, id],
  )
}

async function waiting(requests: Sender, id: string, path: Record<string, string>): Promise<void> {
  if ('stepId' in path) path['stepId'] = 'ask'
  await aRun(requests, id, 'WAITING')
}

export const workflowPreparations = {
  workflowActivate: (requests: Sender, id: string) => withSteps(requests, id, 'PAUSED'),
  workflowPause: (requests: Sender, id: string) => withSteps(requests, id, 'ACTIVE'),
  workflowRunStart: async (requests: Sender, id: string) => {
    await withSteps(requests, id, 'ACTIVE')
    const { body } = await requests.member.rest.leadCreate!({ body: { lastName: 'Halvorsen' } })
    leadId = body.id as string
  },
  workflowRun: waiting,
  workflowRunList: async (requests: Sender) => {
    for (let row = 0; row < 2; row++) await aRun(requests, newId(), 'WAITING')
  },
  workflowRunRetry: (requests: Sender, id: string) => aRun(requests, id, 'FAILED'),
  workflowRunCancel: waiting,
  workflowRunApprove: waiting,
  workflowRunReject: waiting,
}

/** Each of them changes the status of a workflow or a run, which no second one can. */
export const workflowsOnce = [
  'workflowActivate',
  'workflowPause',
  'workflowRunRetry',
  'workflowRunCancel',
  'workflowRunApprove',
  'workflowRunReject',
]
