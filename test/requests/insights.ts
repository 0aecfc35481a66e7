import { newId } from '../../subgraphs/kernel/ids.ts'
import type { Sender } from './sender.ts'

/** Begins a run of a scenario that no worker attempts. */
async function isRunning({ platform, member }: Sender, id: string): Promise<void> {
  await platform.query(`update insights.scenario set status = 'RUNNING' where id = $1`, [id])
  await platform.query(
    `insert into insights.scenario_run (organization_id, id, scenario_id, user_id, previous_status, is_due, next_attempt_at)
     values ($1, $2, $3, $4, 'DRAFT', false, now() + interval '1 day')`,
    [member.organizationId, newId(), id, member.userId],
  )
}

export const insightPreparations = { scenarioCancel: isRunning }
