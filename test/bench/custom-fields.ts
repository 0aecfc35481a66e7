import { setTimeout as delay } from 'node:timers/promises'
import { createApiKey } from '../../subgraphs/identity/public.ts'
import type { OpenServices } from '../../subgraphs/kernel/services.ts'
import { OneConnection } from './customer-graph.ts'
import { alternate, median, ratios, type Contender, type Measuring, type Rounds } from './measure.ts'
import type { Server } from './processes.ts'
import { atMost, type Finding } from './report.ts'
import { wireFormOf } from './scenarios.ts'
import { openTenant, sampleIds, type Tenant } from './tenants.ts'

const accounts = 2_000
const plainFields = 50
const formulas = 20
const waitMs = 200

const numbers = Array.from({ length: plainFields }, (_, index) => `number${index}`)

/** Each formula reads two custom fields and a column of the table. */
const formulaOf = (index: number) => {
  const [one, other] = [`customFields.${numbers[index]!}`, `customFields.${numbers[index + 1]!}`]
  return { expression: `ROUND(IF(${one} > 10, annualRevenue / ${one}, ${other} * 2), 2)`, returnType: 'NUMBER' }
}

/** What custom fields add to a read by id, and formulas to a page of 50. */
export async function measureCustomFields(
  measuring: Measuring,
  project: Server,
  services: OpenServices,
): Promise<Finding[]> {
  const [plain, withFields, withFormulas, building] = [
    await openTenant(services, accounts),
    await openTenant(services, accounts + 1),
    await openTenant(services, accounts + 2),
    await openTenant(services, accounts + 3),
  ]
  await define(project, services, withFields, 0)
  await define(project, services, withFormulas, formulas)
  await define(project, services, building, formulas)
  await computedByReads(services, building)
  const ids = await Promise.all([plain, withFields].map((tenant) => sampleIds(services, tenant, 1_000)))
  const reading = (name: string, tenant: Tenant, paths: readonly string[]): Contender => ({
    name,
    server: project,
    requests: paths.map((path) => wireFormOf({ method: 'GET', path }, tenant)),
  })
  const byId = await alternate(measuring, [
    reading(
      'without',
      plain,
      ids[0]!.map((id) => `/v1/accounts/${id}`),
    ),
    reading(
      'with',
      withFields,
      ids[1]!.map((id) => `/v1/accounts/${id}`),
    ),
  ])
  const page = ['/v1/accounts?limit=50']
  const pages = await alternate(measuring, [
    reading('without', withFields, page),
    reading('stored', withFormulas, page),
    reading('building', building, page),
  ])
  const more = (name: string): number => median(cpuMs(pages, name)) - median(cpuMs(pages, 'without'))
  return [
    atMost(
      `REST by id with ${plainFields} custom fields: CPU / CPU without`,
      median(ratios(byId, 'with', 'without', 'cpuUs')),
      1.18,
      'x',
    ),
    atMost(
      `${formulas} formulas on a page of 50: CPU of the server and of PostgreSQL beside ${plainFields} other fields`,
      more('stored'),
      3,
      ' ms',
      `(${more('building').toFixed(1)} ms while their values are written)`,
    ),
  ]
}

const cpuMs = (rounds: Rounds, name: string): number[] =>
  rounds.get(name)!.map(({ cpuUs, postgresCpuUs }) => (cpuUs + postgresCpuUs) / 1_000)

/** Gives an organization the fields, with a value in each record, and as many formulas. */
async function define(
  project: Server,
  services: OpenServices,
  { organizationId, ownerId }: Tenant,
  count: number,
): Promise<void> {
  const { database } = services
  // A database that is kept has the fields of the last run.
  await database.query('delete from extensions.field_definition where organization_id = $1', [organizationId])
  await publish(services, organizationId)
  const values = numbers.map((name, index) => `'${name}', ${index} + abs(hashtext(id::text)) % 100`)
  await database.query(
    `update crm.account set custom_fields = custom_fields || jsonb_build_object(${values.join(', ')}) where organization_id = $1`,
    [organizationId],
  )
  await database.query('vacuum analyze crm.account')
  const { secret } = await createApiKey(services, organizationId, { ownerId, name: 'Fields', scopes: ['*'] })
  const client = new OneConnection(project, secret)
  const create = (body: object) =>
    client.send({
      method: 'POST',
      path: '/v1/custom-fields',
      body: JSON.stringify({ entity: 'ACCOUNT', label: 'L', ...body }),
    })
  for (const name of numbers) await create({ name, fieldType: 'NUMBER' })
  for (let index = 0; index < count; index++)
    await create({ name: `formula${index}`, fieldType: 'FORMULA', formulaConfig: formulaOf(index) })
  const unwritten = `select from extensions.field_definition where organization_id = $1 and field_type = 'FORMULA' and not has_values limit 1`
  while ((await database.query(unwritten, [organizationId])).length > 0) await delay(waitMs)
}

async function publish({ database }: OpenServices, organizationId: string): Promise<void> {
  await database.query('select kernel.publish_definitions($1)', [organizationId])
}

/** As before the values of the formulas are written. */
async function computedByReads(services: OpenServices, { organizationId }: Tenant): Promise<void> {
  await services.database.query(
    'update extensions.field_definition set has_values = false where organization_id = $1',
    [organizationId],
  )
  await publish(services, organizationId)
  await delay(5 * waitMs)
}
