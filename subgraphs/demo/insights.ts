import { engagementK } from '../insights/engagement/stored/engagement.jobs.ts'
import { rebuild } from '../insights/engagement/stored/rebuild.ts'
import { objectNames, scoredObjects } from '../insights/engagement/stored/scored-objects.ts'
import { leadRates } from '../insights/lead-score/lead-rate.job.ts'
import type { Services } from '../kernel/request.ts'
import type { GeneratorInput } from './organization.ts'

/** Computes what consumers and jobs have computed until midnight; the worker begins with the events after the demo. */
export async function loadInsights(services: Services, { organizationId }: GeneratorInput): Promise<void> {
  const { database, clock } = services
  for (const object of objectNames) {
    const { link } = scoredObjects[object]
    const rows = await database.query<{ id: string }>(
      `select distinct ${link} as id from crm.activity where organization_id = $1 and ${link} is not null`,
      [organizationId],
    )
    await rebuild(
      database,
      organizationId,
      object,
      rows.map(({ id }) => id),
      clock.now(),
    )
  }
  await engagementK.run(services)
  await leadRates.run(services)
}
