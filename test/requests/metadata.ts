import { newId } from '../../subgraphs/kernel/ids.ts'
import type { Sender } from './sender.ts'

const files = {
  'src/events/requested_event.event.json': JSON.stringify({
    apiName: 'requested_event',
    label: 'Requested event',
    schema: { type: 'object', properties: { id: { type: 'string' } } },
  }),
}

const testedFiles = {
  'src/functions/requested/function.json': '{"name": "Requested"}',
  'src/functions/requested/index.js': 'export default () => 1',
  'src/functions/requested/tests/one.json': '{"expect": {"output": 1}}',
}

/** A deployment with this id that waits, and that no worker of the test carries out. */
async function aDeployment({ platform, member }: Sender, id: string): Promise<void> {
  await platform.query(
    `insert into extensions.deployment (organization_id, id, check_only, allow_destructive, caller, created_by_id, requested_at, is_due, next_attempt_at)
     values ($1, $2, true, false, '{}', $3, now(), false, now() + interval '900 days')`,
    [member.organizationId, id, member.userId],
  )
}

/** The name of a component that exists. */
async function anEventType({ member }: Sender): Promise<string> {
  const apiName = 'retrieved_event'
  const schema = { type: 'object', properties: { id: { type: 'string' } } }
  await member.rest['customEventTypeCreate']!({ body: { apiName, label: 'Retrieved event', schema } } as never)
  return apiName
}

export const metadataBodies = {
  metadataRetrieve: async (requests: Sender, whole: boolean) => ({
    ...(whole && {
      types: ['CUSTOM_OBJECT'],
      components: [{ type: 'CUSTOM_EVENT_TYPE', name: await anEventType(requests) }],
      format: 'FILES',
    }),
  }),
  metadataTest: (_requests: Sender, whole: boolean) =>
    Promise.resolve({ ...(whole && { source: { files: testedFiles }, functions: ['requested'] }) }),
  metadataDeploy: (_requests: Sender, whole: boolean) =>
    Promise.resolve({
      source: { files },
      ...(whole && { checkOnly: true, allowDestructive: false, expectedVersion: 'a'.repeat(43), testLevel: 'ALL' }),
    }),
}

export const metadataPreparations = {
  metadataDeployment: aDeployment,
  metadataDeploymentCancel: aDeployment,
  metadataDeploymentList: async (requests: Sender) => {
    for (let row = 0; row < 2; row++) await aDeployment(requests, newId())
  },
}

/** A deployment ends once. */
export const metadataOnce = ['metadataDeploymentCancel']
