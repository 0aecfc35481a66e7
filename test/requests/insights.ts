import { newId } from '../../subgraphs/kernel/ids.ts'
import type { Member } from '../platform.ts'
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

const adjustments = [{ target: 'WIN_RATE', operation: 'MULTIPLY', value: 1.1, scope: { stage: 'PROPOSAL' } }]
const horizon = { horizonStart: '2027-02-01T00:00:00.000Z', horizonEnd: '2027-04-30T00:00:00.000Z' }

const aScenario = (member: Member) => member.rest.scenarioCreate!({ body: { name: 'Plain', iterations: 1000 } })

/** A period and a horizon exclude each other, and so do ids of scenarios and scenarios. */
export const insightBodies = {
  scenarioCreate: ({ member }: Sender, whole: boolean) =>
    Promise.resolve({
      name: 'More wins',
      ...(whole && {
        description: 'If the new contract templates help.',
        ...horizon,
        filters: {},
        adjustments,
        iterations: 1000,
        seed: 7,
        target: 1000,
        ownerId: member.userId,
        tags: ['growth'],
      }),
    }),
  scenarioCompare: async ({ member }: Sender, whole: boolean) => {
    const scenarios = [
      { name: 'More wins', adjustments },
      { name: 'As it is', adjustments: [] },
    ]
    if (whole) return { scenarios, ...horizon, filters: {}, iterations: 1000, seed: 7, target: 1000 }
    const created = [await aScenario(member), await aScenario(member)]
    return { scenarioIds: created.map(({ body: { id } }) => id as string) }
  },
}

const filters = { ownerIds: [newId()], teamIds: [newId()], stages: ['PROPOSAL'], accountIds: [newId()] }

/** Parts that no valid body of an operation has together, for the tests of the values in them. */
export const insightParts = {
  scenarioCreate: { filters },
  scenarioCompare: { filters, scenarioIds: [newId(), newId()] },
}
