import { setTimeout as delay } from 'node:timers/promises'
import { createApiKey } from '../../subgraphs/identity/public.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import type { OpenServices } from '../../subgraphs/kernel/services.ts'
import type { Bench } from './against-baselines.ts'
import { OneConnection } from './customer-graph.ts'
import { alternate, median, ratios } from './measure.ts'
import type { Server } from './processes.ts'
import { atMost, type Finding } from './report.ts'
import { wireFormOf } from './scenarios.ts'
import { openTenant, sampleIds, type Tenant } from './tenants.ts'

const accounts = 5_000
const plainFields = 50
const formulas = 20
const waitMs = 200

/** Numbers, and formulas that each read two of them and a column of the table. */
const numbers = Array.from({ length: plainFields }, (_, index) => `number${index}`)
const formulaOf = (index: number) => {
  const [one, other] = [`customFields.${numbers[index]!}`, `customFields.${numbers[index + 1]!}`]
  return { expression: `ROUND(IF(${one} > 10, annualRevenue / ${one}, ${other} * 2), 2)`, returnType: 'NUMBER' }
}

/** What custom fields add to a read by id, and formulas to a page of 50. */
export async function measureCustomFields(bench: Bench, project: Server, services: OpenServices): Promise<Finding[]> {
  const [plain, extended] = [await openTenant(services, accounts), await openTenant(services, accounts + 1)]
  await withoutFields(services, extended)
  const secretOf = async ({ organizationId, ownerId }: Tenant): Promise<string> =>
    (
      await createApiKey(services, organizationId, {
        ownerId,
        name: `Custom fields ${newId()}`,
        scopes: ['*'],
        rateLimit: { limit: 1_000_000, window: 'MINUTE' },
      })
    ).secret
  const client = new OneConnection(project, await secretOf(extended))
  const define = (body: object) =>
    client.send({
      method: 'POST',
      path: '/v1/custom-fields',
      body: JSON.stringify({ entity: 'ACCOUNT', label: 'L', ...body }),
    })
  for (const name of numbers) await define({ name, fieldType: 'NUMBER' })
  const values = numbers.map((name, index) => `'${name}', ${index} + abs(hashtext(id::text)) % 100`).join(', ')
  await services.database.query(
    `update crm.account set custom_fields = custom_fields || jsonb_build_object(${values}) where organization_id = $1`,
    [extended.organizationId],
  )
  await services.database.query('vacuum analyze crm.account')
  const idsOf = (tenant: Tenant) => sampleIds(services, tenant, 1_000)
  const byId = async (name: string, tenant: Tenant) => ({
    name,
    server: project,
    requests: (await idsOf(tenant)).map((id) => wireFormOf({ method: 'GET', path: `/v1/accounts/${id}` }, tenant)),
  })
  const rounds = await alternate(bench, [await byId('with', extended), await byId('without', plain)])
  const page = { method: 'GET', path: '/v1/accounts?limit=50' } as const
  const without = await client.medianOf(() => page)
  for (let index = 0; index < formulas; index++)
    await define({ name: `formula${index}`, fieldType: 'FORMULA', formulaConfig: formulaOf(index) })
  await built(services, extended)
  const stored = await client.medianOf(() => page)
  await computedByReads(services, extended)
  const computed = await client.medianOf(() => page)
  return [
    atMost(
      `REST by id with ${plainFields} custom fields: CPU / CPU without`,
      median(ratios(rounds, 'with', 'without', 'cpuUs')),
      1 / 0.85,
      'x',
    ),
    atMost(
      `${formulas} formulas on a page of 50: p50 more than without them`,
      stored - without,
      3,
      ' ms',
      `(${without.toFixed(1)} ms without; ${(computed - without).toFixed(1)} ms more while they are being built)`,
    ),
  ]
}

/** A database that is kept has the fields of the last run. */
async function withoutFields({ database }: OpenServices, { organizationId }: Tenant): Promise<void> {
  await database.query('delete from extensions.field_definition where organization_id = $1', [organizationId])
  await database.query('select kernel.publish_definitions($1)', [organizationId])
}

/** Waits until the values of all formulas are stored. */
async function built({ database }: OpenServices, { organizationId }: Tenant): Promise<void> {
  const building = () =>
    database.query(
      `select from extensions.field_definition where organization_id = $1 and field_type = 'FORMULA' and not has_values limit 1`,
      [organizationId],
    )
  while ((await building()).length > 0) await delay(waitMs)
}

/** As before the values of the formulas are written. */
async function computedByReads({ database }: OpenServices, { organizationId }: Tenant): Promise<void> {
  await database.query(`update extensions.field_definition set has_values = false where organization_id = $1`, [
    organizationId,
  ])
  await database.query('select kernel.publish_definitions($1)', [organizationId])
  await delay(5 * waitMs)
}
