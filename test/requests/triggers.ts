import type { Sender } from './sender.ts'
import { freshPrefix } from './valid-values.ts'

const apiName = 'of_triggers'

/** The function of all triggers of the organization. */
async function itsFunction({ platform, member }: Sender): Promise<string> {
  const found = await platform.query(
    'select from extensions.function where organization_id = $1 and api_name = $2 and deleted_at is null',
    [member.organizationId, apiName],
  )
  if (found.length > 0) return apiName
  const body = { apiName, name: 'Of triggers', language: 'javascript', source: 'export default () => null' }
  const answer = await member.rest.serverlessFunctionCreate!({ body })
  if (answer.status !== 201) throw new Error(`serverlessFunctionCreate answered ${answer.status}`)
  return apiName
}

/** A trigger that is turned off, so that it runs for no record of the tests. */
const trigger = async (requests: Sender) => ({
  name: `${freshPrefix()}trigger`,
  operations: ['CREATE'],
  function: await itsFunction(requests),
  isActive: false,
})

const rest = () => ({
  description: 'Agreed in March.',
  operations: ['CREATE', 'DELETE'],
  conditions: [{ field: 'externalId', operator: 'EQUALS', value: 'of a trigger' }],
  logic: 'OR',
  timeoutMs: 1_000,
  position: 10,
  tags: ['triggers'],
})

export const triggerBodies = {
  afterSaveTriggerCreate: async (requests: Sender, whole: boolean) => ({
    objectType: 'TASK',
    ...(await trigger(requests)),
    ...(whole && rest()),
  }),
  afterSaveTriggerUpdate: async (requests: Sender, whole: boolean) =>
    whole ? { ...(await trigger(requests)), ...rest() } : {},
}
