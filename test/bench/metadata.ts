import { callerOf } from '../../subgraphs/extensions/metadata/requested-by.ts'
import { deploymentQueue } from '../../subgraphs/extensions/metadata/deployment.queue.ts'
import { readDeployment, requestDeployment } from '../../subgraphs/extensions/metadata/deployment.actions.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { portNames, portsOf, requestContext } from '../../subgraphs/kernel/request.ts'
import type { OpenServices } from '../../subgraphs/kernel/services.ts'
import { atMost, type Finding } from './report.ts'
import type { Tenant } from './tenants.ts'

const json = (value: object): string => JSON.stringify(value, null, 2)

/** A thousand components: 800 fields of two record types, 100 rules that name them, 60 event types, 40 credentials. */
function files(): Record<string, string> {
  const all: Record<string, string> = {}
  for (let index = 0; index < 400; index++)
    for (const entity of ['ACCOUNT', 'LEAD'])
      all[`src/fields/${entity}.f${index}.field.json`] = json({
        entity,
        name: `f${index}`,
        label: `Field ${index}`,
        fieldType: index % 2 ? 'TEXT' : 'NUMBER',
        sortOrder: index,
      })
  for (let index = 0; index < 100; index++)
    all[`src/validation-rules/ACCOUNT.Rule ${index}.rule.json`] = json({
      entityType: 'ACCOUNT',
      name: `Rule ${index}`,
      conditions: [{ field: `customFields.f${2 * index}`, operator: 'LESS_THAN', value: 0 }],
      errorMessage: 'It must be positive.',
    })
  for (let index = 0; index < 60; index++)
    all[`src/events/event_${index}.event.json`] = json({
      apiName: `event_${index}`,
      label: `Event ${index}`,
      schema: { type: 'object', properties: { id: { type: 'string' } } },
    })
  for (let index = 0; index < 40; index++)
    all[`src/credentials/service_${index}.credential.json`] = json({
      apiName: `service_${index}`,
      label: `Service ${index}`,
      baseUrl: `https://service${index}.example.com/`,
      authType: 'BEARER',
    })
  return all
}

/** How long a deployment of a thousand new components takes, and of the same ones again. */
export async function measureDeployments(
  services: OpenServices,
  { organizationId, ownerId }: Tenant,
): Promise<Finding[]> {
  const by = { kind: 'SESSION', userId: ownerId, scopes: [], credentialId: 'bench', ip: '', userAgent: '' } as const
  const caller = await callerOf(services.database, organizationId, by)
  const context = () =>
    requestContext({ caller: caller!, requestId: newId(), idempotency: null }, services, {
      ports: portsOf(services, portNames),
    })
  const seconds = async (change: 'created' | 'unchanged'): Promise<number> => {
    const beganMs = performance.now()
    const options = {
      checkOnly: false,
      allowDestructive: false,
      expectedVersion: null,
      testLevel: 'NONE' as const,
      tests: null,
    }
    const { id } = await requestDeployment(context(), { files: files() }, options)
    await drain(deploymentQueue, services)
    const tookMs = performance.now() - beganMs
    const { counts, problems } = await readDeployment(context(), id)
    if (counts?.[change] !== 1_000)
      throw new Error(`The deployment failed: ${JSON.stringify([counts, problems.slice(0, 3)])}`)
    return tookMs / 1000
  }
  return [
    atMost('Deploying 1,000 new components', await seconds('created'), 10, ' s'),
    atMost('Deploying 1,000 unchanged components', await seconds('unchanged'), 2, ' s'),
  ]
}
